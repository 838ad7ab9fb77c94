import { sshKeyApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { SshKeyService } from './ssh-key.service.ts'

export function sshKeyRoutes(route: Route, keys: SshKeyService): void {
  route(sshKeyApi.list, ({ user }) => keys.list(user.id))
  route(
    sshKeyApi.create,
    ({ user, body }) => keys.create(user.id, body),
    ({ user }) => keys.list(user.id),
  )
  route(sshKeyApi.prove, ({ user, params }) => keys.offerProof(user.id, params.sshKeyId))
  route(sshKeyApi.delete, ({ user, params }) => keys.delete(user.id, params.sshKeyId))
}
