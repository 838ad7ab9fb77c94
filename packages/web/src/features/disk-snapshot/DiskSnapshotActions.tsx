import { type DiskSnapshot, snapshotCan, unlessLimited } from '@slipway/contract'
import { Download, Trash2 } from 'lucide-react'
import { useMay } from '../../api/access.ts'
import { diskSnapshotFileUrl } from '../../api/disk-files.ts'
import { useLimits } from '../../api/host.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { diskSnapshotDialogs } from './disk-snapshot-dialogs.ts'

interface DiskSnapshotActionsProps {
  snapshot: DiskSnapshot
  place: 'row' | 'page'
}

/** What can be done with a disk snapshot, in its row or on its page. */
export function DiskSnapshotActions({ snapshot, place }: DiskSnapshotActionsProps) {
  const openDialog = useOpenDialog()
  const { id, name } = snapshot
  const may = useMay(snapshot.project_id)
  const isRow = place === 'row'
  const { disk_files: noFiles } = useLimits()
  const remove = {
    icon: <Trash2 size={16} strokeWidth={1.6} aria-hidden />,
    disabledReason: reasonOf(may('diskSnapshot.delete')) ?? reasonOf(snapshotCan.delete(snapshot)),
    onClick: () => openDialog(diskSnapshotDialogs.delete, id),
  }
  return (
    <>
      <Button
        {...(isRow ? { size: 'sm', className: 'phone:h-9', 'aria-label': `Create Disk from ${name}` } : {})}
        icon={<objectIcons.disk size={isRow ? 14 : 16} strokeWidth={1.6} aria-hidden />}
        disabledReason={
          reasonOf(may('diskSnapshot.createDisk')) ?? reasonOf(snapshotCan.createDisk(snapshot))
        }
        onClick={() => openDialog(diskSnapshotDialogs.createDisk, id)}
      >
        Create Disk
      </Button>
      {!isRow && (
        <Button
          icon={<Download size={16} strokeWidth={1.6} aria-hidden />}
          disabledReason={
            reasonOf(may('diskSnapshot.download')) ??
            reasonOf(unlessLimited(noFiles)) ??
            reasonOf(snapshotCan.download(snapshot))
          }
          render={<a href={diskSnapshotFileUrl(snapshot)} download />}
        >
          Download
        </Button>
      )}
      {isRow ? (
        <IconButton {...remove} size="sm" label={`Delete ${name}`} />
      ) : (
        <Button {...remove}>Delete</Button>
      )}
    </>
  )
}
