import type { VmPool } from '@slipway/contract'
import { useDeleteVmPool } from '../../api/vm-pools.ts'
import { DeleteGroupDialog } from '../vm-group/DeleteGroupDialog.tsx'

interface DeletePoolDialogProps {
  pool: VmPool
  onClose: () => void
  onDeleted?: () => void
}

export function DeletePoolDialog({ pool, onClose, onDeleted }: DeletePoolDialogProps) {
  const removal = useDeleteVmPool()
  return (
    <DeleteGroupDialog
      title="Delete VM Pool"
      texts={{
        deleted: 'VM Pool deleted successfully',
        failed: 'Failed to delete VMPool. Please try again.',
      }}
      busy={removal.isPending}
      remove={() => removal.mutateAsync(pool)}
      onClose={onClose}
      onDeleted={onDeleted}
    >
      Are you sure you want to delete VM pool "<b>{pool.name}</b>"? All its VMs will be deleted. This action
      cannot be undone.
    </DeleteGroupDialog>
  )
}
