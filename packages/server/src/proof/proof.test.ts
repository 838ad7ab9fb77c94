import {
  apiTokenApi,
  apiTokenTexts,
  type Endpoint,
  projectMemberApi,
  proofApi,
  proofLastsMs,
  proofNeeded,
  sshKeyApi,
  webhookApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, newPublicKey, tokenOf } from '../app.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'

const url = 'https://hooks.example.com/in'

/** A member, a webhook, and each call that gives access for longer than a session lasts. */
async function givingCalls(desk: Desk) {
  const { app, ada, params } = desk
  const bob = await app.signedIn('Bob')
  await ada.call(projectMemberApi.invite, { params, body: { email: bob.email, role: 'viewer' } })
  const joined = { token: tokenOf(lastMail(app.mails, bob.email)) }
  await bob.call(projectMemberApi.accept, { body: joined })
  const members = (await ada.call(projectMemberApi.list, { params })).body
  const memberId = members.find(({ email }) => email === bob.email)?.id ?? ''
  const webhookId = (await ada.call(webhookApi.create, { params, body: { url } })).body.id
  const at = { ...params, webhookId }
  const calls: [Endpoint, { params?: object; body?: object }, number][] = [
    [sshKeyApi.create, { body: { key_name: 'desk', ssh_public_key: newPublicKey() } }, 201],
    [projectMemberApi.invite, { params, body: { email: 'new@slipway.test', role: 'viewer' } }, 201],
    [projectMemberApi.update, { params: { ...params, memberId }, body: { role: 'operator' } }, 200],
    [webhookApi.create, { params, body: { url } }, 201],
    [webhookApi.update, { params: at, body: { url: `${url}/other` } }, 200],
    [webhookApi.renewSecret, { params: at }, 200],
  ]
  return { calls, at }
}

describe('access that outlives a session', () => {
  it(
    'is given after a new confirmation, once the last one is old',
    atDesk(async (desk) => {
      const { calls, at } = await givingCalls(desk)
      await desk.pass(proofLastsMs + 1000)
      for (const [endpoint, input] of calls)
        expect(await desk.ada.call(endpoint, input as { body: unknown }), endpoint.id).toMatchObject({
          status: 403,
          body: { code: proofNeeded },
        })
      // What gives nobody anything is not asked again.
      expect((await desk.ada.call(webhookApi.update, { params: at, body: { paused: true } })).status).toBe(
        200,
      )
      await desk.ada.call(proofApi.give, { body: { password: desk.ada.password } })
      for (const [endpoint, input, status] of calls)
        expect((await desk.ada.call(endpoint, input as { body: unknown })).status, endpoint.id).toBe(status)
    }),
  )

  it(
    'is not given by an API token where people are let in; what a program sets up needs no confirmation',
    atDesk(async (desk) => {
      const { calls } = await givingCalls(desk)
      const body = { name: 'ci', access: 'write' as const, project_ids: [desk.params.projectId] }
      const { token } = (await desk.ada.call(apiTokenApi.create, { body })).body
      for (const [endpoint, { params, body: sent }, status] of calls) {
        const path = endpoint.path.replace(
          /:(\w+)/g,
          (_, name: string) => (params as Record<string, string> | undefined)?.[name] ?? '',
        )
        const answer = await desk.app
          .client()
          .raw(endpoint.method, path, sent ?? {}, { authorization: `Bearer ${token}` })
        const isForPrograms = endpoint.id.startsWith('webhook.')
        expect(answer, endpoint.id).toMatchObject(
          isForPrograms ? { status } : { status: 403, body: { message: apiTokenTexts.notForTokens } },
        )
      }
    }),
  )
})
