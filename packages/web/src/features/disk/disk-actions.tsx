import { canDeleteDiskIn, type Disk, diskAllowedBy, diskCan, diskStateOf } from '@slipway/contract'
import { Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { type DiskRef, useDeleteDisk, useDetachDisk } from '../../api/disks.ts'
import { errorDetail } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { CancelOperation } from '../operation/CancelOperation.tsx'

// The forms come when they are first opened.
const AttachToVmDialog = lazy(async () => ({
  default: (await import('./AttachDialog.tsx')).AttachToVmDialog,
}))
const VmFromDiskDialog = lazy(async () => ({
  default: (await import('./VmFromDiskDialog.tsx')).VmFromDiskDialog,
}))

const reasonOf = (allowed: true | string) => (allowed === true ? undefined : allowed)

interface DiskActionsProps {
  disk: Disk
  /** Of the VM it is on; undefined while nobody knows. */
  vmStatus: string | undefined
}

/** What can be done to a disk now, as buttons, and the dialogs they open. */
export function DiskActions({ disk, vmStatus }: DiskActionsProps) {
  const [open, setOpen] = useState<'attach' | 'detach' | 'createVm' | 'delete' | null>(null)
  const close = () => setOpen(null)
  const state = diskStateOf(disk)
  const canDetach = diskCan.detach(disk) === true
  const canAttach = diskCan.attach(disk) === true
  return (
    <>
      {/* One button with two faces: the focus stays on it when a disk comes off its VM. */}
      {(canDetach || canAttach) && (
        <Button
          size="sm"
          className="phone:h-10"
          disabledReason={
            canDetach && vmStatus ? reasonOf(diskAllowedBy.detach({ status: vmStatus })) : undefined
          }
          onClick={() => setOpen(canDetach ? 'detach' : 'attach')}
        >
          {canDetach ? 'Detach' : 'Attach'}
        </Button>
      )}
      {diskCan.createVm(disk) === true && (
        <Button size="sm" className="phone:h-10" onClick={() => setOpen('createVm')}>
          Create VM
        </Button>
      )}
      {state === 'creating' && (
        <CancelOperation
          projectId={disk.project_id}
          operation={{
            id: disk.id,
            action: 'disk.create',
            object: { type: 'disk', id: disk.id, name: disk.name },
          }}
        />
      )}
      {state !== 'deleting' && (
        <IconButton
          size="sm"
          className="phone:h-10!"
          label={`Delete ${disk.name}`}
          icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
          disabledReason={reasonOf(diskCan.delete(disk))}
          onClick={() => setOpen('delete')}
        />
      )}
      <Suspense fallback={null}>
        {open === 'attach' && <AttachToVmDialog disk={disk} onClose={close} />}
        {open === 'createVm' && <VmFromDiskDialog disk={disk} onClose={close} />}
      </Suspense>
      {open === 'detach' && <DetachDialog disk={disk} onClose={close} />}
      {open === 'delete' && <DeleteDialog disk={disk} onClose={close} />}
    </>
  )
}

/** Takes a disk off its VM, after a question. A running guest has ten seconds to let go of it. */
export function DetachDialog({ disk, onClose }: { disk: DiskRef & { name: string }; onClose: () => void }) {
  const detach = useDetachDisk()
  const run = async () => {
    try {
      // By the promise: callbacks of `mutate` are lost when the row scrolls away before the answer is there.
      await detach.mutateAsync(disk)
      toast.success(`Disk "${disk.name}" detached successfully`)
    } catch (error) {
      toast.error('Failed to detach disk. Please try again.', { detail: errorDetail(error) })
    }
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Detach disk"
      tone="normal"
      confirmLabel="Detach"
      busyLabel="Detaching..."
      busy={detach.isPending}
      onConfirm={() => void run()}
    >
      <p>
        Detach disk "<b>{disk.name}</b>" from its VM?
      </p>
      <p className="mt-2">Unmount it in the VM first, so that everything is written. Its data are kept.</p>
    </ConfirmDialog>
  )
}

function DeleteDialog({ disk, onClose }: { disk: Disk; onClose: () => void }) {
  const { project } = useSelectedProject()
  const removal = useDeleteDisk()
  const run = async () => {
    const allowed = canDeleteDiskIn(project)
    try {
      if (allowed !== true) {
        toast.error(allowed)
      } else {
        await removal.mutateAsync(disk)
        toast.success(`Disk "${disk.name}" deleted successfully`)
        // What opened the dialog is gone as well.
        document.getElementById('main')?.focus({ preventScroll: true })
      }
    } catch (error) {
      toast.error('Failed to delete disk. Please try again.', { detail: errorDetail(error) })
    }
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete disk"
      confirmLabel="Delete"
      busyLabel="Deleting..."
      busy={removal.isPending}
      onConfirm={() => void run()}
    >
      Are you sure you want to delete disk "<b>{disk.name}</b>"? Snapshots of it are kept. This action cannot
      be undone.
    </ConfirmDialog>
  )
}
