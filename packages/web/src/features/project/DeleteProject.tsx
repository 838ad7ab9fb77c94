import type { Project } from '@slipway/contract'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/access.ts'
import { useBin } from '../../api/bin.ts'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useDisks } from '../../api/disks.ts'
import { errorText } from '../../api/errors.ts'
import { useDeleteProject } from '../../api/projects.ts'
import { useVmPools } from '../../api/vm-pools.ts'
import { useVmSets } from '../../api/vm-sets.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { useVms } from '../../api/vms.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { pageHeading } from '../../ui/return-focus.ts'
import { BinChoice } from '../bin/BinChoice.tsx'
import { alsoDeleted } from './also-deleted.ts'
import { tellProjectDeleted } from './tell-project-deleted.ts'
import { useLeaveProject } from './use-leave-project.ts'
import { notCounted } from './vm-count.ts'

interface DeleteProjectProps {
  project: Project
  onClose: () => void
}

/**
 * Asks before a project is deleted. It cannot be confirmed before everything that is deleted with it was counted. A
 * refusal is shown in the dialog.
 */
export function DeleteProject({ project, onClose }: DeleteProjectProps) {
  const removal = useDeleteProject()
  const leaveProject = useLeaveProject()
  const may = useMay(project.id)
  const contents = useContents(project.id)
  const [forGood, setForGood] = useState(false)
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Delete Project ${project.name}`}
      confirmLabel="Delete Project"
      busyLabel="Deleting..."
      busy={removal.isPending}
      disabledReason={reasonOf(may('project.delete')) ?? (contents.known ? undefined : contents.text)}
      error={removal.isError ? errorText(removal.error, 'Failed to delete project') : null}
      focusAfter={pageHeading}
      onConfirm={() =>
        removal.mutate(
          { projectId: project.id, withVms: contents.known && contents.vms > 0, forGood },
          {
            onSuccess: () => {
              leaveProject(project.id)
              onClose()
              void tellProjectDeleted(project, forGood)
            },
          },
        )
      }
      choice={
        <BinChoice
          kind="project"
          of={{ projectId: project.id, ids: [project.id] }}
          goesToBin
          forGood={forGood}
          onChange={setForGood}
        />
      }
    >
      Are you sure you want to delete this project? This will also delete all VMs in this project. This action
      cannot be undone.
      {contents.text !== null && (
        <span role="status" className="mt-2 block">
          {contents.text}
        </span>
      )}
      {contents.retry && (
        <span className="mt-2 block">
          <Button
            size="sm"
            icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
            onClick={contents.retry}
          >
            Try Again
          </Button>
        </span>
      )}
    </ConfirmDialog>
  )
}

/** What is deleted with a project in a sentence, once all of it is known; until then why it is not. */
function useContents(
  projectId: string,
):
  | { known: true; vms: number; text: string | null; retry?: never }
  | { known: false; text: string; retry?: () => void } {
  const { vms, loading, error, retry } = useVms(projectId)
  const pools = useVmPools(projectId)
  const sets = useVmSets(projectId)
  const disks = useDisks(projectId)
  const snapshots = useVmSnapshots(projectId)
  const diskSnapshots = useDiskSnapshots(projectId)
  const bin = useBin(projectId)
  const lists = [pools, sets, disks, snapshots, diskSnapshots, bin]
  if (loading || lists.some((list) => list.loading || list.refreshing)) {
    return { known: false, text: notCounted }
  }
  const failed = lists.filter((list) => list.error)
  if (error || failed.length > 0) {
    return {
      known: false,
      text: 'The contents of this project could not be counted.',
      retry: () => {
        if (error) retry()
        for (const list of failed) void list.refetch()
      },
    }
  }
  return {
    known: true,
    vms: vms.length,
    text: alsoDeleted({
      VM: vms.length,
      'VM pool': pools.pools.length,
      'VM set': sets.sets.length,
      disk: disks.disks.length,
      'VM snapshot': snapshots.snapshots.length,
      'disk snapshot': diskSnapshots.snapshots.length,
      'object in the bin': bin.items.length,
    }),
  }
}
