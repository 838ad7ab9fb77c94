import type { Disk } from '@slipway/contract'
import { lazy, Suspense } from 'react'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { CancelDialog, cancelDialog } from '../operation/CancelDialog.tsx'
import { creationOf, diskDialogs } from './disk-dialogs.ts'
import { DeleteDiskDialog, DetachDialog } from './disk-questions.tsx'

// The forms come when they are first opened.
const AttachToVmDialog = lazy(async () => ({
  default: (await import('./AttachDialog.tsx')).AttachToVmDialog,
}))
const EditDiskDialog = lazy(async () => ({
  default: (await import('./EditDiskDialog.tsx')).EditDiskDialog,
}))
const VmFromDiskDialog = lazy(async () => ({
  default: (await import('./VmFromDiskDialog.tsx')).VmFromDiskDialog,
}))

interface DiskDialogsProps {
  disks: readonly Disk[]
  /** Whether it is not known which there are: they load, or failed to. */
  loading: boolean
  /** Where to go when the disk was deleted, from its own page. */
  afterDelete?: string
}

/** All dialogs about disks: on the page that shows some. */
export function DiskDialogs({ disks, loading, afterDelete }: DiskDialogsProps) {
  return (
    <ObjectDialogs
      objects={disks}
      loading={loading}
      gone="The disk no longer exists."
      dialogs={{
        [diskDialogs.detach]: (disk, close) => <DetachDialog disk={disk} onClose={close} />,
        [diskDialogs.delete]: (disk, close) => (
          <DeleteDiskDialog
            disk={disk}
            onClose={close}
            onDeleted={() => close(afterDelete === undefined ? {} : { to: afterDelete })}
          />
        ),
        [cancelDialog]: (disk, close) => (
          <CancelDialog projectId={disk.project_id} operation={creationOf(disk)} onClose={close} />
        ),
        [diskDialogs.attach]: (disk, close) => (
          <Suspense fallback={null}>
            <AttachToVmDialog disk={disk} onClose={close} />
          </Suspense>
        ),
        [diskDialogs.edit]: (disk, close) => (
          <Suspense fallback={null}>
            <EditDiskDialog disk={disk} onClose={close} />
          </Suspense>
        ),
        [diskDialogs.createVm]: (disk, close) => (
          <Suspense fallback={null}>
            <VmFromDiskDialog disk={disk} onClose={close} />
          </Suspense>
        ),
      }}
    />
  )
}
