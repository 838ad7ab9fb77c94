/** Every endpoint, asked by somebody whose account is being deleted, and by a member of a project of theirs. */
import {
  accountDeletionApi,
  accountDeletionTexts,
  type Endpoint,
  endpoints,
  isOfProject,
  mayWhileFrozen,
  mayWhileLeaving,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'
import { pathInProject } from '../example-requests.test-kit.ts'

const app = await testApp({ admins: ['person-1@slipway.test', 'person-3@slipway.test'] })
const ada = await app.signedIn('Ada')
const projectId = await ada.make('/api/projects', { name: 'p' })
const bob = await app.member(ada, projectId, 'operator')
await app.signedIn('Grace')
await ada.call(accountDeletionApi.request)
const leaving = await app.again(ada)

/** What is asked for is read first: a body that says nothing is refused as such. */
async function expectRefused(person: Pick<typeof ada, 'raw'>, endpoint: Endpoint, message: unknown) {
  const { status, body } = await person.raw(endpoint.method, pathInProject(endpoint, projectId))
  if (status === 400 || status === 422) return
  expect({ status, body }).toEqual({ status: 403, body: { message } })
}

describe('somebody whose account is being deleted', () => {
  for (const endpoint of endpoints.filter(
    ({ auth, answers }) => auth === 'session' && answers !== 'socket',
  )) {
    if (mayWhileLeaving(endpoint.id) === true) continue
    it(`${endpoint.method} ${endpoint.path} is refused`, () =>
      expectRefused(leaving, endpoint, accountDeletionTexts.leaving))
  }
})

describe('a member of a project of theirs', () => {
  for (const endpoint of endpoints.filter(({ id }) => isOfProject(id))) {
    if (mayWhileFrozen(endpoint) === true) continue
    // What only owners may do is refused for that.
    it(`${endpoint.method} ${endpoint.path} is refused`, () =>
      expectRefused(bob, endpoint, expect.stringMatching(/deleting their account|Only the owner/)))
  }
})
