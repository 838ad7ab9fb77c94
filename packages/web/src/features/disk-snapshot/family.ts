import type { DiskSnapshot } from '@slipway/contract'

type Member = Pick<DiskSnapshot, 'id' | 'parent_id'>

const none: never[] = []

/** Finds for each snapshot the one it is based on, and those based on it. */
export function familyOf<T extends Member>(snapshots: readonly T[]) {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]))
  const heirsOf = new Map<string, T[]>()
  for (const snapshot of snapshots) {
    if (snapshot.parent_id === null) continue
    heirsOf.set(snapshot.parent_id, [...(heirsOf.get(snapshot.parent_id) ?? []), snapshot])
  }
  return ({ id, parent_id }: Member): { parent: T | undefined; heirs: readonly T[] } => ({
    parent: parent_id === null ? undefined : byId.get(parent_id),
    heirs: heirsOf.get(id) ?? none,
  })
}
