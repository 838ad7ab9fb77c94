import { type EndpointId, isTransitional, type ObjectEvents, type Vm } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type Creation, revisionOf, said } from './client.ts'
import { liveList, nameOf, usePoll } from './live-list.ts'
import type { Said } from './order.ts'
import { keyOf, order, queryClient } from './query.ts'
import { isMemberOf, membersOf, readVm } from './vms.ts'

/** How often the history of a group is loaded while its page is open. */
const historyPollMs = 15_000

interface Group {
  id: string
  project_id: string
  status: string
}

/** What a group has on its page beside itself. */
export interface GroupParts {
  vms: Vm[]
  /** Which settings each VM was made of, when the page was loaded. */
  revisions: { vm_id: string; revision: number }[]
}

interface GroupSource<G extends Group, H, Create, Update> {
  ids: { list: EndpointId; get: EndpointId; history: EndpointId }
  /** The name of their events. */
  kind: keyof ObjectEvents
  list: (projectId: string, signal: AbortSignal) => Promise<readonly G[]>
  get: (projectId: string, id: string, signal: AbortSignal) => Promise<G & GroupParts>
  history: (projectId: string, id: string, signal: AbortSignal) => Promise<H>
  create: (creation: Creation<Create> & { projectId: string }) => Promise<G>
  update: (group: G, body: Update) => Promise<G>
  remove: (group: G, forGood: boolean) => Promise<unknown>
  /** Whether the status is transitional. */
  underWay: (group: { status: string }) => boolean
}

/**
 * VM pools or VM sets: their live list, one of them with its members, how it came to its size, and what can be done
 * to it.
 */
export function liveGroups<G extends Group, H, Create, Update>({
  ids,
  kind,
  underWay,
  ...calls
}: GroupSource<G, H, Create, Update>) {
  const list = liveList<G>(ids.list, kind, calls.list, underWay)
  const keyFor = (id: EndpointId, projectId: string, groupId: string) => keyOf(id, { projectId, groupId })

  /** Applies new states of groups everywhere the console shows them. */
  function patch(projectId: string, all: readonly Said<G>[]): void {
    const news = list.patch(projectId, all)
    for (const { object, at } of news) {
      const queryKey = keyFor(ids.get, projectId, object.id)
      if ('deleted' in object) void queryClient.invalidateQueries({ queryKey })
      else if (order.isNews(nameOf(queryKey), at))
        queryClient.setQueryData<G & { vms: Vm[] }>(queryKey, (old) => old && { ...old, ...object })
    }
    // A change of a group is also an entry of its history.
    for (const id of new Set(news.map(({ object }) => object.id)))
      void queryClient.invalidateQueries({ queryKey: keyFor(ids.history, projectId, id) })
  }

  /** Shows a group from a response. */
  function show(group: G): void {
    patch(group.project_id, [said(group)])
    void list.refresh(group.project_id)
  }

  /** Removes a deleted group, and reloads VMs and disks, because its members were deleted as well. */
  function drop({ id, project_id: projectId }: G): void {
    list.drop(projectId, id)
    void list.refresh(projectId)
    for (const also of ['vm.list', 'disk.list'] as const)
      void queryClient.invalidateQueries({ queryKey: keyOf(also, { projectId }) })
  }

  return {
    useList: list.useList,
    useListed: list.useListed,
    patch,

    /** One group with its VMs, oldest first. */
    useOne(projectId: string, groupId: string) {
      const queryKey = keyFor(ids.get, projectId, groupId)
      const query = useQuery({
        queryKey,
        queryFn: async ({ signal }) => {
          const answer = await calls.get(projectId, groupId, signal)
          const at = revisionOf(answer)
          const vms = answer.vms.map(readVm)
          const group = order.one(nameOf(queryKey), kind, answer, at)
          const members = order.list(membersOf(queryKey), 'vm', vms, at, isMemberOf(groupId))
          if (!group || !members)
            return queryClient.getQueryData<typeof answer>(queryKey) ?? { ...answer, vms }
          return { ...group, vms: members, revisions: answer.revisions }
        },
      })
      const { data } = query
      usePoll(queryKey, data !== undefined && (underWay(data) || data.vms.some(isTransitional)))
      return query
    },

    useHistory: (projectId: string, groupId: string) =>
      useQuery({
        queryKey: keyFor(ids.history, projectId, groupId),
        queryFn: ({ signal }) => calls.history(projectId, groupId, signal),
        refetchInterval: historyPollMs,
      }),

    useCreate: () => useMutation({ mutationFn: calls.create, onSuccess: show }),

    /** Changes its size; the answer already has the new numbers. */
    useUpdate: () =>
      useMutation({
        mutationFn: ({ group, body }: { group: G; body: Update }) => calls.update(group, body),
        onSuccess: show,
        // A refusal means that the page shows an old state.
        onError: (_, { group }) => void list.refresh(group.project_id),
      }),

    /** Deletes it with its VMs. */
    useDelete: () =>
      useMutation({
        mutationFn: ({ group, forGood }: { group: G; forGood: boolean }) => calls.remove(group, forGood),
        onSuccess: (_, { group }) => drop(group),
        onError: (_, { group }) => void list.refresh(group.project_id),
      }),
  }
}
