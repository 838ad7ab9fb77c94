import { randomUUID } from 'node:crypto'
import { test as base, type Page } from '@playwright/test'
import { accountApi, type CallInput, type CallOutput, type Endpoint, fillPath } from '@slipway/contract'
import { type Server, startServer } from './server.ts'

export { expect } from '@playwright/test'

export interface Person {
  firstName: string
  lastName: string
  email: string
  password: string
}

interface TestFixtures {
  /** Somebody nobody has seen before, without an account. */
  person: Person
  /** The same with a verified account, signed in on `page`. */
  user: Person
  /** Calls the API as whoever is signed in on `page`; throws when it refuses. */
  call: Call
}

interface WorkerFixtures {
  server: Server
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => {
      const server = await startServer()
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],

  baseURL: async ({ server }, use) => use(server.url),

  // biome-ignore lint/correctness/noEmptyPattern: as above.
  person: async ({}, use) => use(newPerson()),

  call: async ({ page }, use) => use(callAs(page)),

  user: async ({ person, call, server }, use) => {
    const { email, password } = person
    await call(accountApi.signUp, {
      body: { name: `${person.firstName} ${person.lastName}`, email, password },
    })
    const link = await server.mailedLink(email, 'verify-email')
    const token = new URL(link, server.url).searchParams.get('token') ?? ''
    await call(accountApi.verifyEmail, { body: { token } })
    await call(accountApi.signIn, { body: { email, password } })
    await use(person)
  },
})

export type Call = <E extends Endpoint>(endpoint: E, input: CallInput<E>) => Promise<CallOutput<E>>

/** The API with the cookies of a page: for what a test needs but is not about. */
function callAs(page: Page): Call {
  return async <E extends Endpoint>(endpoint: E, input: CallInput<E>) => {
    // The compiler cannot look into CallInput while E is open; it has these parts or fewer.
    const { params, body } = input as { params?: Record<string, string>; body?: unknown }
    const answer = await page.request.fetch(fillPath(endpoint.path, params), {
      method: endpoint.method,
      ...(body === undefined ? {} : { data: body }),
    })
    if (!answer.ok()) throw new Error(`${endpoint.id} answered ${answer.status()}: ${await answer.text()}`)
    // The server has put the answer through this endpoint's schema.
    return (endpoint.response ? await answer.json() : undefined) as CallOutput<E>
  }
}

function newPerson(): Person {
  return {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: `ada-${randomUUID()}@example.com`,
    password: 'Analytical-Engine-1843',
  }
}
