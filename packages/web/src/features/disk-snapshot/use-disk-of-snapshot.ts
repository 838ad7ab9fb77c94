import type { Disk, DiskSnapshot } from '@slipway/contract'
import { useCallback, useMemo } from 'react'
import { useDisks } from '../../api/disks.ts'

/** The disk of each snapshot of a project; null when it does not exist any more, undefined while nobody knows. */
export function useDiskOfSnapshot(projectId: string): (snapshot: DiskSnapshot) => Disk | null | undefined {
  const { disks, updatedAt } = useDisks(projectId)
  const diskById = useMemo(() => new Map(disks.map((disk) => [disk.id, disk])), [disks])
  // Without a list nobody knows which disks there are.
  const known = updatedAt > 0
  return useCallback(({ disk_id }) => diskById.get(disk_id) ?? (known ? null : undefined), [diskById, known])
}
