import type { ApiToken } from '@slipway/contract'
import { Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { useApiTokens, useDeleteApiToken } from '../../api/api-tokens.ts'
import { useProjects } from '../../api/projects.ts'
import { paths } from '../../paths.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { SheetList, SheetRow } from '../../shell/SheetList.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { accessWords, coverageText, expiryText, isExpired, lastUseText } from './api-token-words.ts'

const CreateApiTokenDialog = lazy(async () => ({
  default: (await import('./CreateApiTokenDialog.tsx')).CreateApiTokenDialog,
}))

/** By their names in the URL. */
const apiTokenDialogs = { create: 'create-api-token', revoke: 'revoke-api-token' } as const

/** The keys of an account for programs. */
export function ApiTokens() {
  const { apiTokens, loading, error, retry } = useApiTokens()
  const { projects } = useProjects()
  const openDialog = useOpenDialog()
  const creating = useDialog(apiTokenDialogs.create)
  const now = Date.now()
  return (
    <SheetList
      title="API tokens"
      things={{ inSentence: 'API tokens', inTitle: 'API Tokens' }}
      query={{ loading, error, retry }}
      note="Programs use a token instead of your password. Revoke a token as soon as nothing uses it."
      empty="No API tokens yet."
      foot={
        <p className="border-t border-line px-4 py-3 text-hint text-ink-2">
          The{' '}
          <Link className="link" to={paths.apiReference}>
            API reference
          </Link>{' '}
          has every call that a token can make.
        </p>
      }
      actions={
        <Button
          size="sm"
          icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
          onClick={() => openDialog(apiTokenDialogs.create)}
        >
          Create Token
        </Button>
      }
      dialogs={
        <>
          <Suspense fallback={null}>
            {creating.open && <CreateApiTokenDialog onClose={() => creating.close()} />}
          </Suspense>
          <ObjectDialogs
            objects={apiTokens}
            loading={loading || error !== null}
            gone="The API token no longer exists."
            dialogs={{
              [apiTokenDialogs.revoke]: (apiToken, close) => (
                <RevokeApiToken apiToken={apiToken} onClose={() => close()} />
              ),
            }}
          />
        </>
      }
    >
      {apiTokens.map((apiToken) => (
        <ApiTokenRow
          key={apiToken.id}
          apiToken={apiToken}
          coverage={coverageText(apiToken, projects)}
          now={now}
          onRevoke={() => openDialog(apiTokenDialogs.revoke, apiToken.id)}
        />
      ))}
    </SheetList>
  )
}

interface ApiTokenRowProps {
  apiToken: ApiToken
  coverage: string
  now: number
  onRevoke: () => void
}

function ApiTokenRow({ apiToken, coverage, now, onRevoke }: ApiTokenRowProps) {
  const { name, access } = apiToken
  return (
    <SheetRow
      name={name}
      action={
        <IconButton
          size="sm"
          label={`Revoke ${name}`}
          icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
          onClick={onRevoke}
        />
      }
      detail={
        <>
          {accessWords[access]} <span aria-hidden="true">·</span> <bdi>{coverage}</bdi>
        </>
      }
    >
      <span className={isExpired(apiToken, now) ? 'text-bad' : undefined}>{expiryText(apiToken, now)}</span>
      <span>{lastUseText(apiToken, now)}</span>
    </SheetRow>
  )
}

function RevokeApiToken({ apiToken, onClose }: { apiToken: ApiToken; onClose: () => void }) {
  const revocation = useDeleteApiToken()
  const act = useConfirmedAct({
    act: () => revocation.mutateAsync(apiToken.id),
    done: 'API token revoked',
    failed: 'Failed to revoke the API token.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      {...act}
      open
      onOpenChange={onClose}
      title="Revoke API Token"
      confirmLabel="Revoke Token"
      busyLabel="Revoking..."
    >
      <p>
        Programs that use{' '}
        <b>
          <bdi>{apiToken.name}</bdi>
        </b>{' '}
        are refused from now on, and their event streams and consoles end. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
