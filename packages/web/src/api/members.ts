import type { MemberRole, ProjectInvitation, ProjectMember } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call, said } from './client.ts'
import { patchProjects } from './projects.ts'
import { asList, keyOf, queryClient } from './query.ts'
import { reloadOnEvents } from './reload-on-events.ts'

/** Events load members again at most this often: a change of members is an event of the project. */
const notedMs = 500

const membersKey = (projectId: string) => keyOf('projectMember.list', { projectId })
const invitationsKey = (projectId: string) => keyOf('projectMember.invitations', { projectId })

/** The members of a project, the owner first, kept up to date. */
export function useMembers(projectId: string) {
  const query = useQuery({
    queryKey: membersKey(projectId),
    queryFn: async ({ signal }) =>
      asList(await call('projectMember.list', { params: { projectId }, signal })),
  })
  return {
    members: query.data ?? [],
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** The invitations of a project that wait, for whoever may see them. */
export function useInvitations(projectId: string, enabled: boolean) {
  const query = useQuery({
    queryKey: invitationsKey(projectId),
    queryFn: async ({ signal }) =>
      asList(await call('projectMember.invitations', { params: { projectId }, signal })),
    enabled,
  })
  return {
    invitations: query.data ?? [],
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

reloadOnEvents('projectMember.list', notedMs)
reloadOnEvents('projectMember.invitations', notedMs)

const reload = (projectId: string) =>
  Promise.all(
    [membersKey(projectId), invitationsKey(projectId)].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )

/** What can be done to members and invitations of a project. */
export function useMemberActs(projectId: string) {
  const onSuccess = () => void reload(projectId)
  const of = (memberId: string) => ({ params: { projectId, memberId } })
  const gone = () =>
    patchProjects([{ object: { id: projectId, project_id: projectId, deleted: true }, at: null }])
  return {
    update: useMutation({
      mutationFn: ({ id, role }: { id: string; role: MemberRole }) =>
        call('projectMember.update', { ...of(id), body: { role } }),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: ({ id }: Pick<ProjectMember, 'id'>) => call('projectMember.remove', of(id)),
      onSuccess,
    }),
    handOver: useMutation({
      mutationFn: ({ id }: Pick<ProjectMember, 'id'>) => call('projectMember.handOver', of(id)),
      onSuccess,
    }),
    withdrawHandOver: useMutation({
      mutationFn: () => call('handOver.withdraw', { params: { projectId } }),
      onSuccess,
    }),
    leave: useMutation({
      mutationFn: () => call('projectMember.leave', { params: { projectId } }),
      onSuccess: gone,
    }),
    invite: useMutation({
      mutationFn: (body: { email: string; role: MemberRole }) =>
        call('projectMember.invite', { params: { projectId }, body }),
      onSuccess,
    }),
    withdraw: useMutation({
      mutationFn: ({ id }: Pick<ProjectInvitation, 'id'>) =>
        call('projectMember.withdraw', { params: { projectId, invitationId: id } }),
      onSuccess,
    }),
  }
}

/** What the invitation of a link is for. */
export function useOffer(token: string) {
  return useQuery({
    queryKey: ['projectMember.offer', token],
    queryFn: ({ signal }) => call('projectMember.offer', { body: { token }, signal }),
    enabled: token !== '',
    retry: false,
  })
}

export function useAcceptInvitation() {
  return useMutation({
    mutationFn: (token: string) => call('projectMember.accept', { body: { token } }),
    onSuccess: (project) => patchProjects([said(project)]),
  })
}

/** The hand-over of a project that waits, as one of its members sees it. */
export function useHandOver(projectId: string) {
  return useQuery({
    queryKey: keyOf('handOver.get', { projectId }),
    queryFn: ({ signal }) => call('handOver.get', { params: { projectId }, signal }),
    retry: false,
    // What the account has left may be another one by now.
    staleTime: 0,
  })
}

/** What the member can do who is asked to take a project over. */
export function useHandOverAnswers(projectId: string) {
  const params = { projectId }
  const onSettled = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: keyOf('handOver.get', params) }),
      reload(projectId),
    ])
  return {
    accept: useMutation({
      mutationFn: () => call('handOver.accept', { params }),
      onSuccess: (project) => patchProjects([said(project)]),
      onSettled,
    }),
    decline: useMutation({ mutationFn: () => call('handOver.decline', { params }), onSettled }),
  }
}
