import { type Disk, fileMark, type Upload, type UploadCreate, uploadLimits } from '@slipway/contract'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { type Creation, call } from './client.ts'
import { refreshDisks } from './disks.ts'
import { keyOf, queryClient } from './query.ts'
import { forgetUpload, startUpload, type UploadRun, uploadRuns } from './upload-run.ts'

/** The first bytes of a file in short, by which it is found again. */
export const markOf = async (file: Pick<Blob, 'slice'>): Promise<string> =>
  fileMark(new Uint8Array(await file.slice(0, uploadLimits.markBytes).arrayBuffer()))

/** Creates a disk from a file and begins to send that. */
export function useCreateUpload() {
  return useMutation({
    mutationFn: async ({
      projectId,
      body,
      file,
      idempotencyKey,
    }: Creation<UploadCreate> & { projectId: string; file: Blob }) => {
      const file_mark = await markOf(file)
      return call('upload.create', { params: { projectId }, body: { ...body, file_mark }, idempotencyKey })
    },
    onSuccess: async (upload, { file }) => {
      startUpload(upload, file)
      await refreshDisks(upload.project_id)
    },
  })
}

/** What the server knows of the upload for a disk; read anew when the disk has got more of it. */
export function useUpload({
  id,
  project_id: projectId,
  progress,
}: Pick<Disk, 'id' | 'project_id' | 'progress'>) {
  const params = { projectId, uploadId: id }
  return useQuery({
    queryKey: [...keyOf('upload.get', params), progress],
    queryFn: ({ signal }) => call('upload.get', { params, signal }),
    placeholderData: keepPreviousData,
  })
}

/** How far this page is with sending a file; null when it does not. */
export const useUploadRun = (id: string): UploadRun | null =>
  useSyncExternalStore(uploadRuns.subscribe, () => uploadRuns.get(id))

export function useCancelUpload() {
  return useMutation({
    mutationFn: ({ id, project_id: projectId }: Pick<Upload, 'id' | 'project_id'>) =>
      call('upload.cancel', { params: { projectId, uploadId: id } }),
    onSuccess: (_, { id }) => forgetUpload(id),
    onSettled: (_, __, { project_id: projectId }) => {
      void refreshDisks(projectId)
      void queryClient.invalidateQueries({ queryKey: ['upload.get'] })
    },
  })
}
