/** What is changed of disks that are there. */
import type { Disk, DiskUpdate } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { call } from './client.ts'
import { refreshDisks, showDisk } from './disks.ts'

/** Changes what is named of a disk. */
export function useUpdateDisk() {
  return useMutation({
    mutationFn: ({ disk, body }: { disk: Disk; body: DiskUpdate }) =>
      call('disk.update', { params: { projectId: disk.project_id, diskId: disk.id }, body }),
    onSuccess: showDisk,
    onError: (_, { disk }) => void refreshDisks(disk.project_id),
  })
}
