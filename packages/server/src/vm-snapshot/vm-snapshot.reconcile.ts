import type { Engine } from '../engine/engine.ts'
import type { SnapshotKind } from '../snapshot/snapshot.reconcile.ts'
import type { VmSnapshotMade, VmSnapshotRecord, VmSnapshotRepo } from './vm-snapshot.repo.ts'

/** What the reconciler of snapshots must know of those of VMs. */
export function vmSnapshotKind(
  options: {
    repo: VmSnapshotRepo
    engine: Engine
  } & Pick<
    SnapshotKind<VmSnapshotRecord, VmSnapshotMade>,
    'isInUse' | 'expire' | 'announce' | 'announceGone'
  >,
): SnapshotKind<VmSnapshotRecord, VmSnapshotMade> {
  const { repo, engine, isInUse, expire, announce, announceGone } = options
  return {
    kind: 'machine',
    words: { type: 'vm_snapshot', create: 'vmSnapshot.create', delete: 'vmSnapshot.delete' },
    repo,
    obstacle: async (record) =>
      (await repo.isBehind(record)) ? 'Waiting for another snapshot of this VM.' : null,
    make: ({ id, snapshot }, work) =>
      engine.createMachineSnapshot(
        id,
        {
          machineId: snapshot.vm_id,
          volumeIds: snapshot.disks.map(({ disk_id }) => disk_id),
          memory: snapshot.snapshot_type === 'full',
        },
        work,
      ),
    delete: (id) => engine.deleteMachineSnapshot(id),
    isMerge: async () => false,
    isInUse,
    expire,
    announce,
    announceGone,
  }
}
