import type { SessionInfo } from '@slipway/contract'
import { errorDetail } from '../../api/errors.ts'
import { useEndOtherSessions, useEndSession, useSessions } from '../../api/sessions.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { formatAgo, formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
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
    <Sheet
      aria-label="Sessions"
      title="Sessions"
      actions={
        sessions.length > 1 && (
          <Button size="sm" onClick={() => openDialog(sessionDialogs.endOthers)}>
            Sign Out All Others
          </Button>
        )
      }
    >
      {loading && (
        <div className="px-4 py-3">
          <LoadingState text="Loading sessions..." />
        </div>
      )}
      {error && !loading && (
        <div className="p-4">
          <ErrorState
            title="Error Loading Sessions"
            message={['Failed to load sessions.', errorDetail(error)].filter(Boolean).join(' ')}
            onRetry={retry}
          />
        </div>
      )}
      <ul className="divide-y divide-line">
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            now={now}
            onEnd={() => openDialog(sessionDialogs.end, session.id)}
          />
        ))}
      </ul>
      {endingOthers.open && <EndOthers onClose={() => endingOthers.close()} />}
      <ObjectDialogs
        objects={sessions}
        loading={loading || error !== null}
        gone="The session has ended."
        dialogs={{
          [sessionDialogs.end]: (session, close) => <EndOne session={session} onClose={() => close()} />,
        }}
      />
    </Sheet>
  )
}

interface SessionRowProps {
  session: SessionInfo
  now: number
  onEnd: () => void
}

function SessionRow({ session, now, onEnd }: SessionRowProps) {
  const name = browserName(session.user_agent)
  const lastUsed = formatAgo(session.last_used_at, now) || formatDateTime(session.last_used_at)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-3">
      <h3 className="text-body font-[550] wrap-anywhere">
        <bdi>{name}</bdi>
        {session.current && <span className="ml-2 text-hint font-normal text-ink-3">This session</span>}
      </h3>
      {session.current ? (
        <span />
      ) : (
        <Button size="sm" aria-label={`Sign out ${name}, last used ${lastUsed}`} onClick={onEnd}>
          Sign Out
        </Button>
      )}
      <p className="col-span-2 mt-1 flex flex-wrap gap-x-4 text-hint text-ink-3">
        <span>Signed in {formatDateTime(session.created_at)}</span>
        {session.ip && <span className="wrap-anywhere">from {session.ip}</span>}
        <span>Last used {lastUsed}</span>
      </p>
    </li>
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
