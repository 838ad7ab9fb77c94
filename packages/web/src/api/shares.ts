import type { Share, ShareCreate, ShareUpdate } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type Creation, call, said } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveList } from './live-list.ts'
import { keyOf } from './query.ts'

const list = liveList<Share>(
  'share.list',
  'share',
  (projectId, signal) => call('share.list', { params: { projectId }, signal }),
  () => false,
)

/** The shared ports of a project, oldest first. */
export function useShares(projectId: string) {
  const { items: shares, ...rest } = list.useList(projectId)
  return { shares, ...rest }
}

takeEvents('share', list.patch)

const show = (share: Share): void => {
  list.patch(share.project_id, [said(share)])
}
const paramsOf = ({ project_id, id }: Share) => ({ projectId: project_id, shareId: id })
/** A refusal means that the page shows an old state. */
const refreshAfter = (_: unknown, { project_id }: Share) => void list.refresh(project_id)

export function useCreateShare({ project_id, id }: { project_id: string; id: string }) {
  return useMutation({
    mutationFn: (creation: Creation<ShareCreate>) =>
      call('share.create', { params: { projectId: project_id, vmId: id }, ...creation }),
    onSuccess: show,
  })
}

/** Changes who may open a shared port, and until when. */
export function useUpdateShare() {
  return useMutation({
    mutationFn: ({ share, body }: { share: Share; body: ShareUpdate }) =>
      call('share.update', { params: paramsOf(share), body }),
    onSuccess: show,
    onError: (error, { share }) => refreshAfter(error, share),
  })
}

export function useDeleteShare() {
  return useMutation({
    mutationFn: (share: Share) => call('share.delete', { params: paramsOf(share) }),
    onSuccess: (_, share) => {
      list.drop(share.project_id, share.id)
      void list.refresh(share.project_id)
    },
    onError: refreshAfter,
  })
}

/** So often, and so far apart in milliseconds, a guest is asked that tells of no port. */
const portLooks = 20
const portLookMs = 3_000

/** Ports that programs in a VM listen on now; null where the guest does not tell, undefined until it is known. */
export function useListeningPorts({
  project_id,
  id,
}: {
  project_id: string
  id: string
}): number[] | null | undefined {
  const params = { projectId: project_id, vmId: id }
  return useQuery({
    queryKey: keyOf('share.ports', params),
    queryFn: ({ signal }) => call('share.ports', { params, signal }),
    // Programs come and go: each time the question is asked anew.
    staleTime: 0,
    // A guest agent that is busy, or has not started yet, tells none for now; one that there is not never does.
    refetchInterval: ({ state }) =>
      state.data?.ports?.length || state.dataUpdateCount >= portLooks ? false : portLookMs,
  }).data?.ports
}
