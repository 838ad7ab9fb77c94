import { coveredBy, searchApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { SearchService } from './search.service.ts'

export function searchRoutes(route: Route, search: SearchService): void {
  route(searchApi.find, async ({ user, session, query }) => {
    const hits = await search.find(user.id, query.q)
    return coveredBy(session.scope, hits, ({ project_id }) => project_id)
  })
}
