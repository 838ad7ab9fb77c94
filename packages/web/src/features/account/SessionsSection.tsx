import type { SessionInfo } from '@slipway/contract'
import { useEndOtherSessions, useEndSession, useSessions } from '../../api/sessions.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { SheetList, SheetRow } from '../../shell/SheetList.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { formatAgoOrDate, formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { browserName } from './browser-name.ts'

/** By their names in the URL. */
const sessionDialogs = { end: 'end-session', endOthers: 'end-other-sessions' } as const

/** Where the user is signed in. */
export function SessionsSection() {
  const { sessions, loading, error, retry } = useSessions()
  const openDialog = useOpenDialog()
  const endingOthers = useDialog(sessionDialogs.endOthers)
  const now = Date.now()
  return (
    <SheetList
      title="Sessions"
      things={{ inSentence: 'sessions', inTitle: 'Sessions' }}
      query={{ loading, error, retry }}
      actions={
        sessions.length > 1 && (
          <Button size="sm" onClick={() => openDialog(sessionDialogs.endOthers)}>
            Sign Out All Others
          </Button>
        )
      }
      dialogs={
        <>
          {endingOthers.open && <EndOthers onClose={() => endingOthers.close()} />}
          <ObjectDialogs
            objects={sessions}
            loading={loading || error !== null}
            gone="The session has ended."
            dialogs={{
              [sessionDialogs.end]: (session, close) => <EndOne session={session} onClose={() => close()} />,
            }}
          />
        </>
      }
    >
      {sessions.map((session) => (
        <SessionRow
          key={session.id}
          session={session}
          now={now}
          onEnd={() => openDialog(sessionDialogs.end, session.id)}
        />
      ))}
    </SheetList>
  )
}

interface SessionRowProps {
  session: SessionInfo
  now: number
  onEnd: () => void
}

function SessionRow({ session, now, onEnd }: SessionRowProps) {
  const name = browserName(session.user_agent)
  const lastUsed = formatAgoOrDate(session.last_used_at, now)
  return (
    <SheetRow
      name={name}
      mark={session.current ? 'This session' : undefined}
      action={
        session.current ? undefined : (
          <Button size="sm" aria-label={`Sign out ${name}, last used ${lastUsed}`} onClick={onEnd}>
            Sign Out
          </Button>
        )
      }
    >
      <span>Signed in {formatDateTime(session.created_at)}</span>
      {session.ip && <span className="wrap-anywhere">from {session.ip}</span>}
      <span>Last used {lastUsed}</span>
    </SheetRow>
  )
}

function EndOne({ session, onClose }: { session: SessionInfo; onClose: () => void }) {
  const ending = useEndSession()
  const act = useConfirmedAct({
    act: () => ending.mutateAsync(session.id),
    done: 'Session signed out',
    failed: 'Failed to sign out the session.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      {...act}
      open
      onOpenChange={onClose}
      title="Sign Out Session"
      confirmLabel="Sign Out"
      busyLabel="Signing out..."
    >
      <p>
        <b>
          <bdi>{browserName(session.user_agent)}</bdi>
        </b>{' '}
        is signed out, and its consoles close.
      </p>
    </ConfirmDialog>
  )
}

function EndOthers({ onClose }: { onClose: () => void }) {
  const ending = useEndOtherSessions()
  const act = useConfirmedAct({
    act: () => ending.mutateAsync(),
    done: 'All other sessions signed out',
    failed: 'Failed to sign out the other sessions.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      {...act}
      open
      onOpenChange={onClose}
      title="Sign Out All Others"
      confirmLabel="Sign Out All Others"
      busyLabel="Signing out..."
    >
      <p>You stay signed in here. Everywhere else you are signed out, and consoles close.</p>
    </ConfirmDialog>
  )
}
