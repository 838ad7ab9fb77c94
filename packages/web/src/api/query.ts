import type { EndpointId } from '@slipway/contract'
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  notifyManager,
  QueryClient,
} from '@tanstack/react-query'
import { makeOrder } from './order.ts'

// At once, not in the next task as by default: the second click of a double click must find the button busy.
notifyManager.setScheduler(queueMicrotask)

/**
 * What happens while a first answer is on its way makes that answer old before it comes. TanStack Query cancels such a
 * request only once there was an answer before, so the query is invalidated when the answer is here.
 */
class ReloadingQueryClient extends QueryClient {
  override invalidateQueries(filters: InvalidateQueryFilters = {}, options?: InvalidateOptions) {
    const { queryKey: _, exact: __, ...rest } = filters
    for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
      if (query.state.data !== undefined) continue
      const again = () => super.invalidateQueries({ ...rest, queryKey: query.queryKey, exact: true }, options)
      // The request under way, not another one.
      query.fetch().then(again, () => {})
    }
    return super.invalidateQueries(filters, options)
  }
}

/** The one cache of server state. Failures show at once: every screen has its own way to try again. */
export const queryClient = new ReloadingQueryClient({
  defaultOptions: {
    // `always`: the server may be on this very machine, also without a network.
    queries: { retry: false, staleTime: 1_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** The order of responses and events. Everything that writes objects to the cache uses it. */
export const order = makeOrder()

/** Cache key of an endpoint's answer. Without `params` it is the prefix of all its answers. */
export function keyOf(id: EndpointId, params?: Record<string, string>): readonly unknown[] {
  return params ? [id, params] : [id]
}

/** A list as a list: what is not an array counts as empty (catalogue G-108). */
export function asList<T>(answer: readonly T[] | null | undefined): T[] {
  return Array.isArray(answer) ? answer : []
}
