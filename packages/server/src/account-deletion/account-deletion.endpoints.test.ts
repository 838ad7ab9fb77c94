/** Every endpoint, asked by somebody whose account is being deleted, and by a member of a project of theirs. */
import {
  accountApi,
  accountDeletionApi,
  accountDeletionTexts,
  type Endpoint,
  endpoints,
  fillPath,
  isOfProject,
  mayWhileFrozen,
  mayWhileLeaving,
  projectMemberApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, testApp } from '../app.test-kit.ts'

const app = await testApp({ admins: ['person-1@slipway.test', 'person-3@slipway.test'] })
const ada = await app.signedIn('Ada')
const bob = await app.signedIn('Bob')
await app.signedIn('Grace')
const projectId = ((await ada.raw('POST', '/api/projects', { name: 'p' })).body as { id: string }).id
await ada.call(projectMemberApi.invite, {
  params: { projectId },
  body: { email: bob.email, role: 'operator' },
})
const token = /token=(\S+)/.exec(lastMail(app.mails, bob.email).link)?.[1] ?? ''
await bob.call(projectMemberApi.accept, { body: { token } })
await ada.call(accountDeletionApi.request)
const { email, password } = ada
const leaving = app.client((await app.client().call(accountApi.signIn, { body: { email, password } })).cookie)

const namesOf = (endpoint: Endpoint) => [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
const urlOf = (endpoint: Endpoint) =>
  fillPath(
    endpoint.path,
    Object.fromEntries(namesOf(endpoint).map((name) => [name, name === 'projectId' ? projectId : 'none'])),
  )
const refused = async (answer: Promise<{ status: number; body: unknown }>, sentence: string) => {
  const { status, body } = await answer
  // What is asked for is read first: a body that says nothing is refused as such.
  if (status === 400 || status === 422) return
  expect([status, (body as { message: string }).message]).toEqual([403, sentence])
}

describe('somebody whose account is being deleted', () => {
  for (const endpoint of endpoints.filter(
    ({ auth, answers }) => auth === 'session' && answers !== 'socket',
  )) {
    if (mayWhileLeaving(endpoint.id) === true) continue
    it(`${endpoint.method} ${endpoint.path} is refused`, () =>
      refused(leaving.raw(endpoint.method, urlOf(endpoint)), accountDeletionTexts.leaving))
  }
})

describe('a member of a project of theirs', () => {
  for (const endpoint of endpoints.filter(({ id }) => isOfProject(id))) {
    if (mayWhileFrozen(endpoint) === true) continue
    it(`${endpoint.method} ${endpoint.path} is refused`, async () => {
      const { status, body } = await bob.raw(endpoint.method, urlOf(endpoint))
      if (status === 400 || status === 422) return
      expect(status).toBe(403)
      // What only owners may do is refused for that.
      expect((body as { message: string }).message).toMatch(/deleting their account|Only the owner/)
    })
  }
})
