import { isFoundIn, type SshKey, sshKeyPreview } from '@slipway/contract'
import { ArrowLeft, Eye, EyeOff, Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense, useId, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { errorText, fullErrorText } from '../../api/errors.ts'
import { useHost } from '../../api/host.ts'
import { useDeleteSshKey, useSshKeys } from '../../api/ssh-keys.ts'
import { paths } from '../../paths.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { NoMatch, SearchBar } from '../../shell/SearchBar.tsx'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { useListSearch } from '../../shell/use-list-search.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { toast } from '../../ui/toast.tsx'

// The form comes when it is first opened.
const AddSshKeyDialog = lazy(async () => ({
  default: (await import('./AddSshKeyDialog.tsx')).AddSshKeyDialog,
}))

const ProveSshKeyDialog = lazy(async () => ({
  default: (await import('./ProveSshKeyDialog.tsx')).ProveSshKeyDialog,
}))

/** By their names in the URL. */
const sshKeyDialogs = { add: 'add-ssh-key', delete: 'delete-ssh-key', prove: 'prove-ssh-key' } as const

const matchesKey = ({ name, fingerprint }: SshKey, search: string) => isFoundIn(search, name, fingerprint)

export function Component() {
  const { sshKeys, loading, error, retry } = useSshKeys()
  const search = useListSearch(sshKeys, matchesKey)
  const openDialog = useOpenDialog()
  const adding = useDialog(sshKeyDialogs.add)
  const empty = !loading && !error && sshKeys.length === 0

  const add = (variant: 'primary' | 'secondary') => (
    <Button
      variant={variant}
      icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
      onClick={() => openDialog(sshKeyDialogs.add)}
    >
      Add SSH Key
    </Button>
  )
  return (
    <>
      <BackButton />
      <PageHeader
        title="SSH Keys"
        description="You sign in to a VM with the private key that matches its SSH key. Password authentication is disabled."
        actions={add(empty ? 'secondary' : 'primary')}
      />
      {loading && <LoadingState text="Loading SSH keys..." outline="rows" />}
      {error && !loading && (
        <ErrorState
          title="Error Loading SSH Keys"
          message={fullErrorText('Failed to load SSH keys.', error)}
          onRetry={retry}
        />
      )}
      {empty && (
        <EmptyState title="No SSH Keys Yet" action={add('primary')}>
          Every VM needs an SSH key to sign in with. Add the public key of a key pair that you have.
        </EmptyState>
      )}
      <SearchBar search={search} plural="SSH keys" by="name or fingerprint" />
      {sshKeys.length > 0 && search.found.length === 0 && <NoMatch search={search} noun="SSH key" />}
      {search.found.length > 0 && (
        <ul className="sheet max-w-265 divide-y divide-line">
          {search.found.map((sshKey) => (
            <SshKeyRow
              key={sshKey.id}
              sshKey={sshKey}
              onDelete={() => openDialog(sshKeyDialogs.delete, sshKey.id)}
              onProve={() => openDialog(sshKeyDialogs.prove, sshKey.id)}
            />
          ))}
        </ul>
      )}
      <Suspense fallback={null}>
        {adding.open && <AddSshKeyDialog open onOpenChange={() => adding.close()} />}
      </Suspense>
      <ObjectDialogs
        objects={sshKeys}
        loading={loading || error !== null}
        gone="The SSH key no longer exists."
        dialogs={{
          [sshKeyDialogs.delete]: (sshKey, close) => <DeleteSshKey sshKey={sshKey} onClose={() => close()} />,
          [sshKeyDialogs.prove]: (sshKey, close) => (
            <Suspense fallback={null}>
              <ProveSshKeyDialog sshKey={sshKey} onClose={close} />
            </Suspense>
          ),
        }}
      />
    </>
  )
}

/** To the previous page; to the dashboard when there is none. */
function BackButton() {
  const navigate = useNavigate()
  const { key } = useLocation()
  const back = () => (key === 'default' ? navigate(paths.home) : navigate(-1))
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={<ArrowLeft size={14} strokeWidth={1.6} aria-hidden />}
      className="-ml-2.5 mb-1 phone:h-10"
      onClick={() => void back()}
    >
      Back
    </Button>
  )
}

interface SshKeyRowProps {
  sshKey: SshKey
  onDelete: () => void
  onProve: () => void
}

function SshKeyRow({ sshKey, onDelete, onProve }: SshKeyRowProps) {
  // Where there is no SSH by name, there is nothing to prove.
  const hasGateway = useHost()?.ssh_gateway != null
  const isUnproven = hasGateway && sshKey.proof === 'needed'
  const [shown, setShown] = useState(false)
  const keyId = useId()
  const Icon = shown ? EyeOff : Eye
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 px-4 py-3">
      <h2 className="self-center text-body font-[550] wrap-anywhere">
        <bdi>{sshKey.name}</bdi>
        {sshKey.is_default && <span className="ml-2 text-hint font-normal text-ink-3">Default</span>}
        {isUnproven && <span className="ml-2 text-hint font-normal text-bad">Not proven</span>}
        {hasGateway && sshKey.proof === 'proven' && (
          <span className="ml-2 text-hint font-normal text-ink-3">Proven</span>
        )}
      </h2>
      <div className="flex items-center gap-1">
        <CopyButton
          text={sshKey.public_key}
          label={`Copy ${sshKey.name}`}
          success="Copied to clipboard!"
          failure="Failed to copy to clipboard."
          className="size-7! text-ink-2 phone:size-9!"
        />
        <IconButton
          size="sm"
          label={`${shown ? 'Hide' : 'Show'} full key ${sshKey.name}`}
          aria-expanded={shown}
          aria-controls={keyId}
          icon={<Icon size={16} strokeWidth={1.6} aria-hidden />}
          onClick={() => setShown(!shown)}
        />
        <IconButton
          size="sm"
          label={`Delete ${sshKey.name}`}
          icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
          onClick={onDelete}
        />
      </div>
      <div id={keyId} className="col-span-2 mt-1">
        {shown ? (
          <code className="block rounded-control border border-line bg-sunken px-2.5 py-1.5 text-hint/5 wrap-anywhere">
            {sshKey.public_key}
          </code>
        ) : (
          <code className="text-hint wrap-anywhere text-ink-2">{sshKeyPreview(sshKey.public_key)}</code>
        )}
      </div>
      <p className="col-span-2 mt-1 flex flex-wrap gap-x-4 text-hint text-ink-3">
        <span className="mono wrap-anywhere">{sshKey.fingerprint}</span>
        <span>Added {formatDateTime(sshKey.created_at)}</span>
        {shown && hasGateway && sshKey.proof === 'not_needed' && (
          <button type="button" className="link" onClick={onProve}>
            Prove that <bdi>{sshKey.name}</bdi> is yours
          </button>
        )}
      </p>
      {isUnproven && (
        <Banner
          tone="warn"
          className="col-span-2 mt-2"
          action={
            <Button size="sm" variant="secondary" aria-label={`Prove Key ${sshKey.name}`} onClick={onProve}>
              Prove Key
            </Button>
          }
        >
          This key is stored in another account too. Until you prove that you have its private key, you cannot
          use it for SSH by name.
        </Banner>
      )}
    </li>
  )
}

function DeleteSshKey({ sshKey, onClose }: { sshKey: SshKey; onClose: () => void }) {
  const removal = useDeleteSshKey()
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete SSH Key"
      confirmLabel="Delete SSH Key"
      busyLabel="Deleting..."
      busy={removal.isPending}
      error={removal.isError ? errorText(removal.error, 'Failed to delete SSH key.') : null}
      onConfirm={() =>
        removal.mutate(sshKey.id, {
          onSuccess: () => {
            toast.success('SSH key deleted successfully!')
            onClose()
          },
        })
      }
    >
      <p>Are you sure you want to delete this SSH key?</p>
      <p className="mt-2">
        <b>
          <bdi>{sshKey.name}</bdi>
        </b>{' '}
        stays on the VMs that have it. New VMs cannot use it.
      </p>
    </ConfirmDialog>
  )
}
