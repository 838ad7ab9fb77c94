import { type BinProject, binDaysText } from '@slipway/contract'
import { RefreshCw } from 'lucide-react'
import { errorText } from '../../api/errors.ts'
import { useHost } from '../../api/host.ts'
import { useDeleteProjectForGood, useProjectBin } from '../../api/project-bin.ts'
import { useOwnQuota } from '../../api/quotas.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { Ledger } from '../../ui/Ledger.tsx'
import { later } from '../../ui/later.tsx'
import { binUseText } from '../bin/bin-words.ts'
import { DeletedRow, deletedColumns } from '../bin/DeletedRow.tsx'
import { ForGoodQuestion } from '../bin/ForGoodQuestion.tsx'
import { contentsOf, projectNote } from './project-bin-words.ts'
import { projectDialogs } from './project-dialogs.ts'
import { undoProject } from './tell-project-deleted.ts'

const EmptyProjectBinDialog = later(
  async () => (await import('./EmptyProjectBinDialog.tsx')).EmptyProjectBinDialog,
  { close: ({ onClose }: { onClose: () => void }) => onClose() },
)

const { name, deleted, keptUntil, actions } = deletedColumns
const columns = [name, { label: 'VMs', width: '6rem' }, deleted, keptUntil, actions]

/** The bin of projects, below those that are there: each owner sees their own. Nothing while it is empty. */
export function DeletedProjects() {
  const { items, loading, error, refetch } = useProjectBin()
  const days = useHost()?.bin_days
  const quota = useOwnQuota(items.length > 0)
  const openDialog = useOpenDialog()
  const emptying = useDialog(projectDialogs.emptyBin)
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
          <div className="mt-1 mb-3 flex flex-wrap items-end justify-between gap-3">
            <p className="max-w-160 text-dense text-ink-2">
              Kept {days ? `for ${binDaysText(days)} ` : ''}with everything in them. They count toward no
              quota.{quota && binUseText(quota)}
            </p>
            <Button size="sm" aria-haspopup="dialog" onClick={() => openDialog(projectDialogs.emptyBin)}>
              Empty Bin
            </Button>
          </div>
          <Ledger
            label="Deleted projects"
            columns={columns}
            items={items}
            nameOf={({ name }) => name}
            row={(project) => <Row project={project} />}
          />
        </>
      )}
      {emptying.open && !error && <EmptyProjectBinDialog projects={items} onClose={() => emptying.close()} />}
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
  const { id, vms } = project
  return (
    <DeletedRow
      deleted={project}
      noun="project"
      status={vms === 0 ? 'No VMs' : `${vms} ${vms === 1 ? 'VM' : 'VMs'}`}
      note={projectNote(project)}
      restore={() => undoProject(project)}
      onDelete={() => openDialog(projectDialogs.deleteForGood, id)}
    />
  )
}

/** Before a project in the bin is deleted for good. */
function DeleteForGood({ project, onClose }: { project: BinProject; onClose: () => void }) {
  const { mutateAsync } = useDeleteProjectForGood()
  const contents = contentsOf(project)
  return (
    <ForGoodQuestion
      noun="project"
      name={project.name}
      along={contents === null ? '' : ` with ${contents}`}
      act={() => mutateAsync(project)}
      onClose={onClose}
    />
  )
}
