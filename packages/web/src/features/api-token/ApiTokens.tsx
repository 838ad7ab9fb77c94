import type { ApiToken } from '@slipway/contract'
import { Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useApiTokens, useDeleteApiToken } from '../../api/api-tokens.ts'
import { errorDetail } from '../../api/errors.ts'
import { useProjects } from '../../api/projects.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
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
    <Sheet
      aria-label="API tokens"
      title="API tokens"
      actions={
        <Button
          size="sm"
          icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
          onClick={() => openDialog(apiTokenDialogs.create)}
        >
          Create Token
        </Button>
      }
    >
      <p className="px-4 py-3 text-ink-2">
        Programs use a token instead of your password. Revoke a token as soon as nothing uses it.
      </p>
      {loading && (
        <div className="px-4 pb-3">
          <LoadingState text="Loading API tokens..." />
        </div>
      )}
      {error && !loading && (
        <div className="px-4 pb-4">
          <ErrorState
            title="Error Loading API Tokens"
            message={['Failed to load API tokens.', errorDetail(error)].filter(Boolean).join(' ')}
            onRetry={retry}
          />
        </div>
      )}
      {!loading && !error && apiTokens.length === 0 && (
        <p className="border-t border-line px-4 py-3 text-ink-3">No API tokens yet.</p>
      )}
      {apiTokens.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {apiTokens.map((apiToken) => (
            <ApiTokenRow
              key={apiToken.id}
              apiToken={apiToken}
              coverage={coverageText(apiToken, projects)}
              now={now}
              onRevoke={() => openDialog(apiTokenDialogs.revoke, apiToken.id)}
            />
          ))}
        </ul>
      )}
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
    </Sheet>
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
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 px-4 py-3">
      <h3 className="self-center text-body font-[550] wrap-anywhere">
        <bdi>{name}</bdi>
      </h3>
      <IconButton
        size="sm"
        label={`Revoke ${name}`}
        icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
        onClick={onRevoke}
      />
      <p className="col-span-2 text-dense wrap-anywhere text-ink-2">
        {accessWords[access]} <span aria-hidden="true">·</span> <bdi>{coverage}</bdi>
      </p>
      <p className="col-span-2 mt-1 flex flex-wrap gap-x-4 text-hint text-ink-3">
        <span className={isExpired(apiToken, now) ? 'text-bad' : undefined}>{expiryText(apiToken, now)}</span>
        <span>{lastUseText(apiToken, now)}</span>
      </p>
    </li>
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
