import { startScriptApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { StartScriptService } from './start-script.service.ts'

export function startScriptRoutes(route: Route, startScripts: StartScriptService): void {
  route(startScriptApi.get, ({ params }) => startScripts.get(params.projectId, params.vmId))
}
