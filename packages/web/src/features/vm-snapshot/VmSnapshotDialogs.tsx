import { type Vm, type VmSnapshot, vmSnapshotTexts } from '@slipway/contract'
import { useDeleteVmSnapshot } from '../../api/vm-snapshots.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { DeleteSnapshotDialog } from '../snapshot/DeleteSnapshotDialog.tsx'
import { RestoreDialog } from './RestoreDialog.tsx'
import { VmsFromSnapshotDialog } from './VmsFromSnapshotDialog.tsx'
import { vmSnapshotDialogs } from './vm-snapshot-dialogs.ts'

interface VmSnapshotDialogsProps {
  snapshots: readonly VmSnapshot[]
  /** Whether it is not known which there are: they load, or failed to. */
  loading: boolean
  /** The VM of a snapshot as it is now; null when it does not exist any more, undefined while unknown. */
  vmOf: (snapshot: VmSnapshot) => Vm | null | undefined
  /** Where to go when the snapshot was deleted, from its own page. */
  afterDelete?: string
}

/** All dialogs about VM snapshots: on the page that shows some. */
export function VmSnapshotDialogs({ snapshots, loading, vmOf, afterDelete }: VmSnapshotDialogsProps) {
  const removal = useDeleteVmSnapshot()
  return (
    <ObjectDialogs
      objects={snapshots}
      loading={loading}
      gone="The snapshot no longer exists."
      dialogs={{
        [vmSnapshotDialogs.restore]: (snapshot, close) => (
          <RestoreDialog snapshot={snapshot} vm={vmOf(snapshot)} onClose={close} />
        ),
        [vmSnapshotDialogs.createVms]: (snapshot, close) => (
          <VmsFromSnapshotDialog snapshot={snapshot} onClose={() => close()} />
        ),
        [vmSnapshotDialogs.delete]: (snapshot, close) => (
          <DeleteSnapshotDialog
            snapshot={snapshot}
            of="vm"
            act={(forGood) => removal.mutateAsync({ snapshot, forGood })}
            done="Snapshot deleted successfully"
            onClose={close}
            onDeleted={() => close(afterDelete === undefined ? {} : { to: afterDelete })}
          >
            {snapshot.automatic && snapshot.description !== vmSnapshotTexts.goesByItself && (
              <p className="mt-2">Without it, the restore that followed cannot be undone.</p>
            )}
          </DeleteSnapshotDialog>
        ),
      }}
    />
  )
}
