import { diskApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { DiskService } from './disk.service.ts'

export function diskRoutes(route: Route, disks: DiskService): void {
  route(diskApi.list, ({ user, params, query }) => disks.list(user.id, params.projectId, query))
}
