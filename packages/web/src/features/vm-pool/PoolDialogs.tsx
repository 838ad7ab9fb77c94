import type { VmPool } from '@slipway/contract'
import { useDeleteVmPool } from '../../api/vm-pools.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import type { CloseDialog } from '../../shell/use-dialog.ts'
import { DeleteGroupDialog } from '../vm-group/DeleteGroupDialog.tsx'
import { deletePoolDialog } from './pool-dialogs.ts'

interface PoolDialogsProps {
  pools: readonly VmPool[]
  loading?: boolean
  /** Where to go when the pool of the page was deleted; a list stays where it is. */
  afterDelete?: string
}

/** What the actions of VM pools ask, once on each page that has them. */
export function PoolDialogs({ pools, loading = false, afterDelete }: PoolDialogsProps) {
  return (
    <ObjectDialogs
      objects={pools}
      loading={loading}
      gone="The VM pool no longer exists."
      dialogs={{
        [deletePoolDialog]: (pool, close) => (
          <DeletePoolDialog pool={pool} onClose={close} afterDelete={afterDelete} />
        ),
      }}
    />
  )
}

interface DeletePoolDialogProps {
  pool: VmPool
  onClose: CloseDialog
  afterDelete: string | undefined
}

function DeletePoolDialog({ pool, onClose, afterDelete }: DeletePoolDialogProps) {
  const { mutateAsync } = useDeleteVmPool()
  return (
    <DeleteGroupDialog
      title="Delete VM Pool"
      texts={{
        deleted: 'VM Pool deleted successfully',
        failed: 'Failed to delete VMPool. Please try again.',
      }}
      remove={() => mutateAsync(pool)}
      onClose={onClose}
      afterDelete={afterDelete}
    >
      Are you sure you want to delete VM pool "<b>{pool.name}</b>"? All its VMs will be deleted. This action
      cannot be undone.
    </DeleteGroupDialog>
  )
}
