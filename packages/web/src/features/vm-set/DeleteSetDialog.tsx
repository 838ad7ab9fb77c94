import type { VmSet } from '@slipway/contract'
import { useDeleteVmSet } from '../../api/vm-sets.ts'
import { DeleteGroupDialog } from '../vm-group/DeleteGroupDialog.tsx'

interface DeleteSetDialogProps {
  set: VmSet
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteSetDialog({ set, onClose, onDeleted }: DeleteSetDialogProps) {
  const removal = useDeleteVmSet()
  return (
    <DeleteGroupDialog
      title="Delete VM Set"
      texts={{
        deleted: 'VM Set deleted successfully',
        failed: 'Failed to delete VMSet. Please try again.',
      }}
      busy={removal.isPending}
      remove={() => removal.mutateAsync(set)}
      onClose={onClose}
      onDeleted={onDeleted}
    >
      Are you sure you want to delete VM set "<b>{set.name}</b>"? All its VMs will be deleted. This action
      cannot be undone.
    </DeleteGroupDialog>
  )
}
