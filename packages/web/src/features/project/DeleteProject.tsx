import type { Project } from '@slipway/contract'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useDisks } from '../../api/disks.ts'
import { errorText } from '../../api/errors.ts'
import { useDeleteProject } from '../../api/projects.ts'
import { useVmPools } from '../../api/vm-pools.ts'
import { useVmSets } from '../../api/vm-sets.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { alsoDeleted } from './also-deleted.ts'
import { useLeaveProject } from './use-leave-project.ts'

interface DeleteProjectProps {
  project: Project
  onClose: () => void
}

/** Asks before a project is deleted. A refusal is shown here, where the eye is. */
export function DeleteProject({ project, onClose }: DeleteProjectProps) {
  const removal = useDeleteProject()
  const leaveProject = useLeaveProject()
  const { pools } = useVmPools(project.id)
  const { sets } = useVmSets(project.id)
  const { disks } = useDisks(project.id)
  const { snapshots } = useVmSnapshots(project.id)
  const { snapshots: diskSnapshots } = useDiskSnapshots(project.id)
  const also = alsoDeleted({
    'VM pool': pools.length,
    'VM set': sets.length,
    disk: disks.length,
    'VM snapshot': snapshots.length,
    'disk snapshot': diskSnapshots.length,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Delete Project ${project.name}`}
      confirmLabel="Delete Project"
      busyLabel="Deleting..."
      busy={removal.isPending}
      error={removal.isError ? errorText(removal.error, 'Failed to delete project') : null}
      onConfirm={() =>
        removal.mutate(project.id, {
          onSuccess: () => {
            leaveProject(project.id)
            onClose()
          },
        })
      }
    >
      Are you sure you want to delete this project? This will also delete all VMs in this project. This action
      cannot be undone.
      {also !== null && <span className="mt-2 block">{also}</span>}
    </ConfirmDialog>
  )
}

/** Why a project cannot be deleted before it is known whether it has VMs. */
export const notCounted = 'Its VMs are being counted'
