import { searchApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { SearchService } from './search.service.ts'

export function searchRoutes(route: Route, search: SearchService): void {
  route(searchApi.find, ({ user, query }) => search.find(user.id, query.q))
}
