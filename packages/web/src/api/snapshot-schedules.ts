import type {
  Disk,
  DiskSnapshotSchedule,
  DiskSnapshotScheduleSet,
  Vm,
  VmSnapshotSchedule,
  VmSnapshotScheduleSet,
} from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf, queryClient } from './query.ts'
import { reloadOnEvents } from './reload-on-events.ts'

/** Events load a schedule again at most this often: it changes with what it takes. */
const notedMs = 2_000

export type SnapshotSchedule = VmSnapshotSchedule | DiskSnapshotSchedule
export type SnapshotScheduleSet = VmSnapshotScheduleSet | DiskSnapshotScheduleSet

/** A VM or a disk: whatever has a schedule. */
export interface Scheduled {
  kind: 'vm' | 'disk'
  id: string
  name: string
  project_id: string
}

export const scheduledVm = ({ id, name, project_id }: Vm): Scheduled => ({ kind: 'vm', id, name, project_id })
export const scheduledDisk = ({ id, name, project_id }: Disk): Scheduled => ({
  kind: 'disk',
  id,
  name,
  project_id,
})

const vmParams = ({ project_id, id }: Scheduled) => ({ projectId: project_id, vmId: id })
const diskParams = ({ project_id, id }: Scheduled) => ({ projectId: project_id, diskId: id })

const keyOfSchedule = (of: Scheduled) =>
  of.kind === 'vm'
    ? keyOf('vmSnapshotSchedule.get', vmParams(of))
    : keyOf('diskSnapshotSchedule.get', diskParams(of))

/** The snapshot schedule of a VM or disk, kept up to date. A later failure keeps the last good answer. */
export function useSnapshotSchedule(of: Scheduled) {
  const query = useQuery({
    queryKey: keyOfSchedule(of),
    queryFn: ({ signal }): Promise<SnapshotSchedule> =>
      of.kind === 'vm'
        ? call('vmSnapshotSchedule.get', { params: vmParams(of), signal })
        : call('diskSnapshotSchedule.get', { params: diskParams(of), signal }),
  })
  return {
    schedule: query.data,
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

reloadOnEvents('vmSnapshotSchedule.get', notedMs)
reloadOnEvents('diskSnapshotSchedule.get', notedMs)

export function useSetSnapshotSchedule(of: Scheduled) {
  return useMutation({
    mutationFn: (body: SnapshotScheduleSet): Promise<SnapshotSchedule> =>
      of.kind === 'vm'
        ? // The form makes it for the kind that it is about.
          call('vmSnapshotSchedule.set', { params: vmParams(of), body: body as VmSnapshotScheduleSet })
        : call('diskSnapshotSchedule.set', { params: diskParams(of), body: body as DiskSnapshotScheduleSet }),
    onSuccess: async (schedule) => {
      // What was asked before may still say the old.
      await queryClient.cancelQueries({ queryKey: keyOfSchedule(of) })
      queryClient.setQueryData(keyOfSchedule(of), schedule)
    },
  })
}

export function useDeleteSnapshotSchedule(of: Scheduled) {
  return useMutation({
    mutationFn: () =>
      of.kind === 'vm'
        ? call('vmSnapshotSchedule.delete', { params: vmParams(of) })
        : call('diskSnapshotSchedule.delete', { params: diskParams(of) }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keyOfSchedule(of) }),
  })
}
