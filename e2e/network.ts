import { expect, type Page, type Request } from '@playwright/test'
import { type Endpoint, eventApi } from '@slipway/contract'

/** What the network does to a page: answers in the server's place, answers that do not come, a log of the calls. */

const isCallOf = ({ method, path }: Endpoint) => {
  const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
  return (request: Request) => request.method() === method && pattern.test(new URL(request.url()).pathname)
}

/**
 * Answers an endpoint in the server's place. `{}` is an answer without message, and no status is no answer. `end`
 * waits for the first such answer: on a slow machine a call is still on its way when its failure seems to be shown,
 * because the failure before it reads the same, and the call would then do to the server what it was to be kept from.
 */
export async function answer(
  page: Page,
  endpoint: Endpoint,
  status: number | null,
  body: unknown = {},
): Promise<{ end: () => Promise<void> }> {
  const isCall = isCallOf(endpoint)
  const isApi = (url: URL) => url.pathname.startsWith('/api/')
  // A call that can be repeated is, when no answer came.
  const tries = status === null && endpoint.idempotent ? 2 : 1
  let answers = 0
  const handle: Parameters<Page['route']>[1] = async (route) => {
    if (!isCall(route.request())) return route.fallback()
    await (status === null ? route.abort() : route.fulfill({ status, json: body }))
    answers++
  }
  await page.route(isApi, handle)
  return {
    end: async () => {
      await expect.poll(() => answers, `answers of ${endpoint.id}`).toBeGreaterThanOrEqual(tries)
      await page.unroute(isApi, handle)
    },
  }
}

/** Makes a page open an event stream of its own: what the worker of all tabs asks for, a test cannot answer. */
export const withStreamOfItsOwn = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    Reflect.deleteProperty(window, 'SharedWorker')
  })

/** Keeps a page from having an event stream. */
export async function withoutStream(page: Page): Promise<void> {
  await withStreamOfItsOwn(page)
  await answer(page, eventApi.streamAll, null)
}

/** Keeps the calls of an endpoint waiting until they are let go. */
export async function hold(page: Page, endpoint: Endpoint): Promise<{ letGo: () => void }> {
  const isCall = isCallOf(endpoint)
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname.startsWith('/api/'),
    async (route) => {
      if (isCall(route.request())) await released
      await route.fallback()
    },
  )
  return { letGo }
}

/** The calls of an endpoint that the page makes from now on; the list grows. */
export function callsOf(page: Page, endpoint: Endpoint): Request[] {
  const calls: Request[] = []
  const isCall = isCallOf(endpoint)
  page.on('request', (request) => {
    if (isCall(request)) calls.push(request)
  })
  return calls
}
