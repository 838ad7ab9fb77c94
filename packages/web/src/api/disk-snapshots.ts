import {
  type DiskFromSnapshot,
  type DiskSnapshot,
  type DiskSnapshotCreate,
  diskSnapshotStateOf,
} from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { type Creation, call, said } from './client.ts'
import { showDisk } from './disks.ts'
import { takeEvents } from './live-events.ts'
import { liveList } from './live-list.ts'

const list = liveList<DiskSnapshot>(
  'diskSnapshot.list',
  'disk_snapshot',
  (projectId, signal) => call('diskSnapshot.list', { params: { projectId }, signal }),
  (snapshot) => diskSnapshotStateOf(snapshot) === 'creating',
)

/** The disk snapshots of a project, oldest first. */
export function useDiskSnapshots(projectId: string | undefined) {
  const { items: snapshots, ...rest } = list.useList(projectId)
  return { snapshots, ...rest }
}

takeEvents('disk_snapshot', list.patch)

export function useCreateDiskSnapshot() {
  return useMutation({
    mutationFn: ({ projectId, body, idempotencyKey }: Creation<DiskSnapshotCreate> & { projectId: string }) =>
      call('diskSnapshot.create', { params: { projectId }, body, idempotencyKey }),
    onSuccess: (snapshot) => {
      list.patch(snapshot.project_id, [said(snapshot)])
      void list.refresh(snapshot.project_id)
    },
  })
}

const paramsOf = (snapshot: DiskSnapshot) => ({
  projectId: snapshot.project_id,
  diskSnapshotId: snapshot.id,
})

export function useDeleteDiskSnapshot() {
  return useMutation({
    mutationFn: ({ snapshot, forGood }: { snapshot: DiskSnapshot; forGood: boolean }) =>
      call('diskSnapshot.delete', {
        params: paramsOf(snapshot),
        ...(forGood && { query: { for_good: 'true' } }),
      }),
    onSuccess: (_, { snapshot }) => {
      list.drop(snapshot.project_id, snapshot.id)
      void list.refresh(snapshot.project_id)
    },
    onError: (_, { snapshot }) => void list.refresh(snapshot.project_id),
  })
}

/** Creates a disk with the content of a snapshot. */
export function useDiskFromSnapshot() {
  return useMutation({
    mutationFn: ({
      snapshot,
      body,
      idempotencyKey,
    }: Creation<DiskFromSnapshot> & { snapshot: DiskSnapshot }) =>
      call('diskSnapshot.createDisk', { params: paramsOf(snapshot), body, idempotencyKey }),
    onSuccess: showDisk,
  })
}
