import { projectMemberApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { ProjectMemberService } from './project-member.service.ts'

export function projectMemberRoutes(route: Route, members: ProjectMemberService): void {
  route(projectMemberApi.list, ({ params }) => members.list(params.projectId))
  route(projectMemberApi.update, ({ user, params, body }) =>
    members.update(user.id, params.projectId, params.memberId, body.role),
  )
  route(projectMemberApi.remove, ({ user, params }) =>
    members.remove(user.id, params.projectId, params.memberId),
  )
  route(projectMemberApi.leave, ({ user, params }) => members.leave(user.id, params.projectId))
  route(projectMemberApi.invitations, ({ params }) => members.invitations(params.projectId))
  route(projectMemberApi.invite, ({ user, params, body }, request) =>
    members.invite(user, params.projectId, body, request.ip),
  )
  route(projectMemberApi.withdraw, ({ user, params }) =>
    members.withdraw(user.id, params.projectId, params.invitationId),
  )
  route(projectMemberApi.offer, ({ user, body }) => members.offer(user, body.token))
  route(projectMemberApi.accept, ({ user, body }) => members.accept(user, body.token))
}
