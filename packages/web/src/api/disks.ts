import { type Disk, type DiskCreate, isDiskUnderWay } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { type Creation, call, said } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveList } from './live-list.ts'
import { refreshVm } from './vms.ts'

const list = liveList<Disk>(
  'disk.list',
  'disk',
  (projectId, signal) => call('disk.list', { params: { projectId }, signal }),
  isDiskUnderWay,
)

/** The data disks of a project, oldest first. */
export function useDisks(projectId: string | undefined) {
  const { items: disks, ...rest } = list.useList(projectId)
  return { disks, ...rest }
}

takeEvents('disk', list.patch)

/** Adds a disk that was just created to the list. */
export const showDisk = (disk: Disk): void => {
  list.patch(disk.project_id, [said(disk)])
  void list.refresh(disk.project_id)
}

/** Loads the list anew, such as after something that is no call about a disk. */
export const refreshDisks = (projectId: string): Promise<unknown> => list.refresh(projectId)

export function useCreateDisk() {
  return useMutation({
    mutationFn: ({ projectId, body, idempotencyKey }: Creation<DiskCreate> & { projectId: string }) =>
      call('disk.create', { params: { projectId }, body, idempotencyKey }),
    onSuccess: showDisk,
  })
}

/** The disk, and the VM it is attached to. */
export type DiskRef = Pick<Disk, 'id' | 'project_id' | 'vm_id'>

const paramsOf = (disk: DiskRef) => ({ projectId: disk.project_id, diskId: disk.id })

/** A refusal means that the page shows an old state. */
const refreshAfter = (_: unknown, disk: DiskRef) => void list.refresh(disk.project_id)

export function useDeleteDisk() {
  return useMutation({
    mutationFn: ({ disk, forGood }: { disk: Disk; forGood: boolean }) =>
      call('disk.delete', { params: paramsOf(disk), ...(forGood && { query: { for_good: 'true' } }) }),
    onSuccess: (_, { disk }) => {
      list.drop(disk.project_id, disk.id)
      void list.refresh(disk.project_id)
    },
    onError: (error, { disk }) => refreshAfter(error, disk),
  })
}

export function useAttachDisk() {
  return useMutation({
    mutationFn: ({ disk, vmId }: { disk: Disk; vmId: string }) =>
      call('disk.attach', { params: paramsOf(disk), body: { vm_id: vmId } }),
    onSuccess: (disk, { vmId }) => {
      showDisk(disk)
      refreshVm(disk.project_id, vmId)
    },
    onError: (error, { disk }) => refreshAfter(error, disk),
  })
}

/** A running guest has ten seconds to release the disk. */
export function useDetachDisk() {
  return useMutation({
    mutationFn: (disk: DiskRef) => call('disk.detach', { params: paramsOf(disk) }),
    onSuccess: (disk, { vm_id }) => {
      showDisk(disk)
      if (vm_id !== null) refreshVm(disk.project_id, vm_id)
    },
    onError: refreshAfter,
  })
}
