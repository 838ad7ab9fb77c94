import {
  apiTokenApi,
  apiTokenTexts,
  type EndpointId,
  endpoints,
  needsProof,
  proofApi,
  proofLastsMs,
  proofNeeded,
  proofTexts,
  webhookApi,
} from '@slipway/contract'
import { describe, expect } from 'vitest'
import { type Desk, deskWith, it } from '../desk.test-kit.ts'
import {
  bodyOf,
  endpointOf,
  pathInProject,
  prepareExample,
  sendExample,
} from '../example-requests.test-kit.ts'

const giving: readonly EndpointId[] = [
  'sshKey.create',
  'projectMember.invite',
  'projectMember.update',
  'webhook.create',
  'webhook.update',
  'webhook.renewSecret',
]

/** Each call that gives access for longer than a session lasts. */
async function prepareCalls(desk: Desk) {
  const calls = []
  for (const id of giving) calls.push({ endpoint: endpointOf(id), ...(await prepareExample(desk, id)) })
  return calls
}

describe('access that outlives a session', () => {
  it('is given after a new confirmation, once the last one is old', async ({ desk }) => {
    const calls = await prepareCalls(desk)
    await desk.pass(proofLastsMs + 1000)
    for (const { endpoint, send } of calls)
      expect(await send(), endpoint.id).toMatchObject({ status: 403, body: { code: proofNeeded } })
    // What gives nobody anything is not asked again.
    const params = { ...desk.params, webhookId: calls.at(-1)?.made.webhookId }
    expect((await desk.ada.call(webhookApi.update, { params, body: { paused: true } })).status).toBe(200)
    await desk.ada.call(proofApi.give, { body: { password: desk.ada.password } })
    for (const { endpoint, send } of calls) expect((await send()).status, endpoint.id).toBe(endpoint.status)
  })

  it('is not given by an API token where people are let in; what a program sets up needs no confirmation', async ({
    desk,
  }) => {
    const calls = await prepareCalls(desk)
    const body = { name: 'ci', access: 'write' as const, project_ids: [desk.params.projectId] }
    const { token } = (await desk.ada.call(apiTokenApi.create, { body })).body
    const raw: Desk['ada']['raw'] = (method, url, payload = {}, more = {}) =>
      desk.app.client().raw(method, url, payload, { ...more, authorization: `Bearer ${token}` })
    for (const { endpoint, made } of calls) {
      const isForPrograms = endpoint.id.startsWith('webhook.')
      expect(await sendExample({ raw }, endpoint, made), endpoint.id).toMatchObject(
        isForPrograms
          ? { status: endpoint.status }
          : { status: 403, body: { message: apiTokenTexts.notForTokens } },
      )
    }
  })
})

describe('a confirmation', () => {
  it('403 without a recent one for every call that needs it, and nothing changes', async () => {
    const desk = await deskWith({ admins: ['person-1@slipway.test'] })
    const { made } = await prepareExample(desk, 'apiToken.create')
    const calls = endpoints
      .map((endpoint) => ({ endpoint, body: bodyOf(endpoint.id, made) }))
      .filter(({ endpoint, body }) => needsProof(endpoint.id, body))
    const entries = () => desk.app.db.selectFrom('activity').select('id').execute()
    const before = await entries()
    await desk.pass(proofLastsMs)
    for (const { endpoint, body } of calls) {
      const answer = await desk.ada.raw(endpoint.method, pathInProject(endpoint, made.projectId), body)
      expect(answer, endpoint.id).toMatchObject({
        status: 403,
        body: { message: proofTexts.needed, code: proofNeeded },
      })
    }
    expect(await entries()).toEqual(before)
  })
})
