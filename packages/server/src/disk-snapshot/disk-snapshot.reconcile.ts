import type { Engine } from '../engine/engine.ts'
import type { SnapshotKind } from '../snapshot/snapshot.reconcile.ts'
import type { DiskSnapshotMade, DiskSnapshotRecord, DiskSnapshotRepo } from './disk-snapshot.repo.ts'

/** What the reconciler of snapshots must know of those of disks. */
export function diskSnapshotKind(
  options: {
    repo: DiskSnapshotRepo
    engine: Engine
  } & Pick<
    SnapshotKind<DiskSnapshotRecord, DiskSnapshotMade>,
    'isInUse' | 'expire' | 'announce' | 'announceGone'
  >,
): SnapshotKind<DiskSnapshotRecord, DiskSnapshotMade> {
  const { repo, engine, isInUse, expire, announce, announceGone } = options
  return {
    kind: 'volume',
    words: { type: 'disk_snapshot', create: 'diskSnapshot.create', delete: 'diskSnapshot.delete' },
    repo: {
      ...repo,
      async remove(id, entry) {
        for (const child of await repo.remove(id, entry)) await announce(child)
      },
    },
    obstacle: async (record) =>
      (await repo.isBehind(record)) ? 'Waiting for another snapshot of this disk.' : null,
    async make({ id, snapshot }, work) {
      const parentId = snapshot.snapshot_type === 'incremental' ? await repo.newestOf(snapshot.disk_id) : null
      return engine.createVolumeSnapshot(id, { volumeId: snapshot.disk_id, parentId }, work)
    },
    delete: (id, work) => engine.deleteVolumeSnapshot(id, work),
    isMerge: (id) => repo.hasChildren(id),
    isInUse,
    expire,
    announce,
    announceGone,
  }
}
