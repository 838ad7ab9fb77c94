import { type BinProject, binDaysText } from '@slipway/contract'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '../../api/errors.ts'
import { useHost } from '../../api/host.ts'
import { useDeleteProjectForGood, useProjectBin } from '../../api/project-bin.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { formatDateTime, formatShortDate } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Ledger, LedgerRow } from '../../ui/Ledger.tsx'
import { pageHeading } from '../../ui/return-focus.ts'
import { contentsOf, projectNote } from './project-bin-words.ts'
import { projectDialogs } from './project-dialogs.ts'
import { undoProject } from './tell-project-deleted.ts'

const columns = [
  { label: 'Name', width: 'minmax(0,2fr)' },
  { label: 'VMs', width: '6rem' },
  { label: 'Deleted', width: 'minmax(0,1.5fr)' },
  { label: 'Kept until', width: '6.5rem' },
  { label: '', width: '12.5rem' },
]

/** The bin of projects, below those that are there: each owner sees their own. Nothing while it is empty. */
export function DeletedProjects() {
  const { items, loading, error, refetch } = useProjectBin()
  const days = useHost()?.bin_days
  if (loading || (items.length === 0 && !error)) return null
  return (
    <section aria-labelledby="deleted-projects" className="mt-8">
      <h2 id="deleted-projects" className="text-section">
        Deleted projects
      </h2>
      {error ? (
        <div className="mt-2 grid justify-items-start gap-2">
          <p className="text-dense text-ink-2">
            {errorText(error, 'The deleted projects could not be loaded.')}
          </p>
          <Button
            size="sm"
            icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
            onClick={() => void refetch()}
          >
            Try Again
          </Button>
        </div>
      ) : (
        <>
          <p className="mt-1 mb-3 max-w-160 text-dense text-ink-2">
            Kept {days ? `for ${binDaysText(days)} ` : ''}with everything in them. They count toward no quota.
          </p>
          <Ledger
            label="Deleted projects"
            columns={columns}
            items={items}
            nameOf={({ name }) => name}
            row={(project) => <Row project={project} />}
          />
        </>
      )}
      <ObjectDialogs
        objects={items}
        loading={loading || error !== null}
        gone="The project was restored, or deleted for good."
        dialogs={{
          [projectDialogs.deleteForGood]: (project, close) => (
            <DeleteForGood project={project} onClose={() => close()} />
          ),
        }}
      />
    </section>
  )
}

function Row({ project }: { project: BinProject }) {
  const openDialog = useOpenDialog()
  const [busy, setBusy] = useState(false)
  const { id, name, deleted_at, deleted_by, delete_at, vms } = project
  const restore = async () => {
    setBusy(true)
    await undoProject(project)
    setBusy(false)
  }
  return (
    <LedgerRow
      name={name}
      status={vms === 0 ? 'No VMs' : `${vms} ${vms === 1 ? 'VM' : 'VMs'}`}
      facts={[
        {
          label: 'Deleted',
          value: (
            <>
              {formatDateTime(deleted_at)}
              {deleted_by && (
                <>
                  {' '}
                  by <bdi>{deleted_by.name}</bdi>
                </>
              )}
            </>
          ),
        },
        {
          label: 'Kept until',
          value: <span title={formatDateTime(delete_at)}>{formatShortDate(delete_at)}</span>,
        },
      ]}
      note={<p className="text-hint text-ink-2">{projectNote(project)}</p>}
      actions={
        <>
          <Button
            size="sm"
            className="phone:h-10"
            aria-label={`Restore project ${name}`}
            busy={busy}
            busyText="Restoring..."
            onClick={() => void restore()}
          >
            Restore
          </Button>
          <Button
            size="sm"
            className="phone:h-10"
            aria-haspopup="dialog"
            aria-label={`Delete for Good: project ${name}`}
            onClick={() => openDialog(projectDialogs.deleteForGood, id)}
          >
            Delete for Good
          </Button>
        </>
      }
    />
  )
}

/** Before a project in the bin is deleted for good. */
function DeleteForGood({ project, onClose }: { project: BinProject; onClose: () => void }) {
  const { mutateAsync } = useDeleteProjectForGood()
  const confirm = useConfirmedAct({
    act: () => mutateAsync(project),
    done: `Deleted project "${project.name}" for good`,
    failed: 'Failed to delete the project. Please try again.',
    onDone: onClose,
  })
  const contents = contentsOf(project)
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Delete for good"
      confirmLabel="Delete for good"
      busyLabel="Deleting..."
      focusAfter={pageHeading}
      {...confirm}
    >
      Delete project "
      <b>
        <bdi>{project.name}</bdi>
      </b>
      " {contents === null ? '' : `with ${contents} `}for good? This action cannot be undone.
    </ConfirmDialog>
  )
}
