import type { Engine } from '../engine/engine.ts'
import type { SnapshotKind } from '../snapshot/snapshot.reconcile.ts'
import type { VmSnapshotMade, VmSnapshotRecord, VmSnapshotRepo } from './vm-snapshot.repo.ts'
import type { VmSnapshotService } from './vm-snapshot.service.ts'

/** What the reconciler of snapshots must know of those of VMs. */
export function vmSnapshotKind(options: {
  repo: VmSnapshotRepo
  service: VmSnapshotService
  engine: Engine
  isInUse: (snapshotId: string) => Promise<boolean>
}): SnapshotKind<VmSnapshotRecord, VmSnapshotMade> {
  const { repo, service, engine, isInUse } = options
  return {
    kind: 'machine',
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
    isInUse,
    announce: service.announce,
    announceGone: service.announceGone,
  }
}
