import type { VmSet } from '@slipway/contract'
import { useDeleteVmSet } from '../../api/vm-sets.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import type { CloseDialog } from '../../shell/use-dialog.ts'
import { DeleteGroupDialog } from '../vm-group/DeleteGroupDialog.tsx'
import { deleteSetDialog } from './set-dialogs.ts'

interface SetDialogsProps {
  sets: readonly VmSet[]
  loading?: boolean
  /** Where to go when the set of the page was deleted; a list stays where it is. */
  afterDelete?: string
}

/** What the actions of VM sets ask, once on each page that has them. */
export function SetDialogs({ sets, loading = false, afterDelete }: SetDialogsProps) {
  return (
    <ObjectDialogs
      objects={sets}
      loading={loading}
      gone="The VM set no longer exists."
      dialogs={{
        [deleteSetDialog]: (set, close) => (
          <DeleteSetDialog set={set} onClose={close} afterDelete={afterDelete} />
        ),
      }}
    />
  )
}

interface DeleteSetDialogProps {
  set: VmSet
  onClose: CloseDialog
  afterDelete: string | undefined
}

function DeleteSetDialog({ set, onClose, afterDelete }: DeleteSetDialogProps) {
  const { mutateAsync } = useDeleteVmSet()
  return (
    <DeleteGroupDialog
      title="Delete VM Set"
      texts={{
        deleted: 'VM Set deleted successfully',
        failed: 'Failed to delete VMSet. Please try again.',
      }}
      remove={() => mutateAsync(set)}
      onClose={onClose}
      afterDelete={afterDelete}
    >
      Are you sure you want to delete VM set "<b>{set.name}</b>"? All its VMs will be deleted. This action
      cannot be undone.
    </DeleteGroupDialog>
  )
}
