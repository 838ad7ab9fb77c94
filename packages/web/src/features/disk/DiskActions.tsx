import {
  type Disk,
  diskAllowedBy,
  diskCan,
  diskStateOf,
  isReceivingFile,
  unlessLimited,
} from '@slipway/contract'
import { Download, Pencil, Trash2 } from 'lucide-react'
import { Link } from 'react-router'
import { useMay } from '../../api/access.ts'
import { diskFileUrl } from '../../api/disk-files.ts'
import { useLimits } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { CancelButton } from '../operation/CancelButton.tsx'
import { detachLimit } from './disk-condition.ts'
import { creationOf, diskDialogs } from './disk-dialogs.ts'

interface DiskActionsProps {
  disk: Disk
  /** Of the VM it is attached to; undefined while that is unknown. */
  vmStatus: string | undefined
  /** In a row the last action is an icon; the page of a disk has room for all of them. */
  place: 'row' | 'page'
}

/** What can be done to a disk now, as buttons. The page they stand on shows the dialogs that they open. */
export function DiskActions({ disk, vmStatus, place }: DiskActionsProps) {
  const openDialog = useOpenDialog()
  const may = useMay(disk.project_id)
  const limits = useLimits()
  const limit = detachLimit(disk, vmStatus, limits)
  const open = (dialog: keyof typeof diskDialogs) => () => openDialog(diskDialogs[dialog], disk.id)
  const canDetach = diskCan.detach(disk) === true
  const canAttach = diskCan.attach(disk) === true
  const look = place === 'row' ? ({ size: 'sm', className: 'phone:h-10' } as const) : {}
  return (
    <>
      {/* One button with two faces: the focus stays on it when a disk is detached. */}
      {(canDetach || canAttach) && (
        <Button
          {...look}
          aria-haspopup="dialog"
          disabledReason={
            reasonOf(may(canDetach ? 'disk.detach' : 'disk.attach')) ??
            (canDetach && vmStatus
              ? (reasonOf(diskAllowedBy.detach({ status: vmStatus })) ?? limit)
              : undefined)
          }
          onClick={open(canDetach ? 'detach' : 'attach')}
        >
          {canDetach ? 'Detach' : 'Attach'}
        </Button>
      )}
      {place === 'page' && ['available', 'attached'].includes(diskStateOf(disk)) && (
        <Button
          icon={<Pencil size={16} strokeWidth={1.6} aria-hidden />}
          aria-haspopup="dialog"
          disabledReason={reasonOf(may('disk.update'))}
          onClick={open('edit')}
        >
          Edit
        </Button>
      )}
      {diskCan.createVm(disk) === true && (
        <Button
          {...look}
          aria-haspopup="dialog"
          disabledReason={reasonOf(may('vm.create'))}
          onClick={open('createVm')}
        >
          Create VM
        </Button>
      )}
      {place === 'page' && diskCan.snapshot(disk) === true && (
        <Button
          icon={<objectIcons.disk_snapshot size={16} strokeWidth={1.6} aria-hidden />}
          disabledReason={reasonOf(may('diskSnapshot.create'))}
          render={<Link to={paths.diskSnapshotCreate(disk.project_id, disk.id)} />}
        >
          Create Snapshot
        </Button>
      )}
      {place === 'page' && ['available', 'attached'].includes(diskStateOf(disk)) && (
        <Button
          icon={<Download size={16} strokeWidth={1.6} aria-hidden />}
          disabledReason={
            reasonOf(may('disk.download')) ??
            reasonOf(unlessLimited(limits.disk_files)) ??
            reasonOf(diskCan.download(disk))
          }
          render={<a href={diskFileUrl(disk)} download />}
        >
          Download
        </Button>
      )}
      {place === 'row' &&
        diskStateOf(disk) === 'creating' &&
        (isReceivingFile(disk) ? (
          <Button {...look} render={<Link to={paths.disk(disk.project_id, disk.id)} />}>
            Show Upload
          </Button>
        ) : (
          <CancelButton operation={creationOf(disk)} />
        ))}
      {diskStateOf(disk) !== 'deleting' && (
        <DeleteAction disk={disk} place={place} onClick={open('delete')} />
      )}
    </>
  )
}

interface DeleteActionProps extends Pick<DiskActionsProps, 'disk' | 'place'> {
  onClick: () => void
}

function DeleteAction({ disk, place, onClick }: DeleteActionProps) {
  const may = useMay(disk.project_id)
  const shared = {
    icon: <Trash2 size={16} strokeWidth={1.6} aria-hidden />,
    disabledReason: reasonOf(may('disk.delete')) ?? reasonOf(diskCan.delete(disk)),
    'aria-haspopup': 'dialog',
    onClick,
  } as const
  if (place === 'page') return <Button {...shared}>Delete</Button>
  return <IconButton {...shared} size="sm" className="phone:h-10!" label={`Delete ${disk.name}`} />
}
