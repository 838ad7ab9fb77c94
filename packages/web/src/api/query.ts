import type { EndpointId } from '@slipway/contract'
import { notifyManager, QueryClient } from '@tanstack/react-query'
import { makeOrder } from './order.ts'

// At once, not in the next task as by default: the second click of a double click must find the button busy.
notifyManager.setScheduler(queueMicrotask)

/** The one cache of server state. Failures show at once: every screen has its own way to try again. */
export const queryClient = new QueryClient({
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
