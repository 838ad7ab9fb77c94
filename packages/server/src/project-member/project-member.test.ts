import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  accessTexts,
  accountSettingsApi,
  handOverApi,
  projectApi,
  projectMemberApi,
  projectMemberTexts as texts,
  vmApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { lastMail, newPublicKey, type TestApp, testApp } from '../app.test-kit.ts'

const app = await testApp()
type Person = Awaited<ReturnType<TestApp['signedIn']>>

const linkToken = (email: string) => /token=(\S+)/.exec(lastMail(app.mails, email)?.link ?? '')?.[1] ?? ''
const idOf = async (person: Person) => ((await person.raw('GET', '/api/auth/me')).body as { id: string }).id

async function project() {
  const ada = await app.signedIn('Ada')
  const { body } = await ada.call(projectApi.create, { body: { name: 'shared' } })
  return { ada, params: { projectId: body.id } }
}

async function join(ada: Person, params: { projectId: string }, role: 'viewer' | 'operator', name = 'Bob') {
  const bob = await app.signedIn(name)
  await ada.call(projectMemberApi.invite, { params, body: { email: bob.email, role } })
  const answer = await bob.call(projectMemberApi.accept, { body: { token: linkToken(bob.email) } })
  expect(answer).toMatchObject({ status: 200, body: { id: params.projectId, role, owner_name: 'Ada' } })
  return { bob, memberId: await idOf(bob) }
}

const messagesOf = async (ada: Person, { projectId }: { projectId: string }) =>
  (
    (await ada.raw('GET', `/api/projects/${projectId}/activity?object_type=project`)).body as {
      entries: { message: string; actor: { name: string } }[]
    }
  ).entries.map(({ message, actor }) => `${actor.name}: ${message}`)

describe('an invitation', () => {
  it('is mailed, shown to whom it was sent, and accepted once', async () => {
    const { ada, params } = await project()
    const bob = await app.signedIn('Bob')
    const invited = await ada.call(projectMemberApi.invite, {
      params,
      body: { email: ` ${bob.email.toUpperCase()} `, role: 'viewer' },
    })
    expect(invited).toMatchObject({ status: 201, body: { email: bob.email, invited_by: 'Ada' } })
    const body = { token: linkToken(bob.email) }
    expect(await bob.call(projectMemberApi.offer, { body })).toMatchObject({
      status: 200,
      body: { project_name: 'shared', role: 'viewer', invited_by: 'Ada' },
    })
    const both = await Promise.all([
      bob.call(projectMemberApi.accept, { body }),
      bob.call(projectMemberApi.accept, { body }),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect((await bob.call(projectApi.list)).body).toMatchObject([{ id: params.projectId, role: 'viewer' }])
    expect((await ada.call(projectMemberApi.invitations, { params })).body).toEqual([])
    const joined = (await messagesOf(ada, params)).filter((text) => text.includes('Joined'))
    expect(joined).toEqual(['Bob: Joined project shared as viewer'])
  })

  it('403 for another account, 409 for a link that is withdrawn, replaced, too old or made up', async () => {
    const { ada, params } = await project()
    const bob = await app.signedIn('Bob')
    const eve = await app.signedIn('Eve')
    const invite = async () =>
      (await ada.call(projectMemberApi.invite, { params, body: { email: bob.email, role: 'operator' } })).body
    await invite()
    const first = linkToken(bob.email)
    const over = { status: 409, body: { message: texts.invitationOver } }
    for (const one of [projectMemberApi.offer, projectMemberApi.accept])
      expect(await eve.call(one, { body: { token: first } })).toMatchObject({
        status: 403,
        body: { message: texts.otherAddress },
      })
    const second = await invite()
    expect(await bob.call(projectMemberApi.accept, { body: { token: first } })).toMatchObject(over)
    const withdraw = { params: { ...params, invitationId: second.id } }
    expect((await ada.call(projectMemberApi.withdraw, withdraw)).status).toBe(204)
    expect((await ada.call(projectMemberApi.withdraw, withdraw)).status).toBe(404)
    const body = { token: linkToken(bob.email) }
    expect(await bob.call(projectMemberApi.accept, { body })).toMatchObject(over)
    expect(await bob.call(projectMemberApi.accept, { body: { token: 'x' } })).toMatchObject(over)
    await app.clock.advance(60_000)
    await invite()
    const last = { token: linkToken(bob.email) }
    await app.db
      .updateTable('project_invitation')
      .set({ expires_at: '2000-01-01T00:00:00.000Z' })
      .where('project_id', '=', params.projectId)
      .execute()
    expect(await bob.call(projectMemberApi.accept, { body: last })).toMatchObject(over)
    expect((await ada.call(projectMemberApi.invitations, { params })).body).toEqual([])
  })

  it('lets nobody back in who was removed', async () => {
    const { ada, params } = await project()
    const { bob, memberId } = await join(ada, params, 'viewer')
    const body = { token: linkToken(bob.email) }
    expect((await ada.call(projectMemberApi.remove, { params: { ...params, memberId } })).status).toBe(204)
    expect((await bob.call(projectMemberApi.accept, { body })).status).toBe(409)
    expect((await bob.call(vmApi.list, { params })).status).toBe(404)
  })

  it('409 for a member, 400 for what is no address or role', async () => {
    const { ada, params } = await project()
    const { bob } = await join(ada, params, 'viewer')
    const invite = (body: object) => ada.call(projectMemberApi.invite, { params, body })
    for (const email of [bob.email, ada.email])
      expect((await invite({ email, role: 'viewer' })).status).toBe(409)
    expect((await invite({ email: 'nobody', role: 'viewer' })).status).toBe(400)
    expect((await invite({ email: 'a@b.test', role: 'owner' })).status).toBe(400)
  })
})

describe('roles', () => {
  it('change with the next request, and the activity names who did it', async () => {
    const { ada, params } = await project()
    const { bob, memberId } = await join(ada, params, 'viewer')
    const { body: key } = await bob.raw('POST', '/api/user/ssh-keys', {
      key_name: 'k',
      ssh_public_key: newPublicKey(),
    })
    const body = { name: 'v', template_id: 'starter', ssh_key_id: (key as { id: string }).id }
    const create = () => bob.call(vmApi.create, { params, body })
    expect(await create()).toMatchObject({ status: 403, body: { message: accessTexts.operator } })
    const update = (role: string) =>
      ada.call(projectMemberApi.update, { params: { ...params, memberId }, body: { role } })
    expect(await update('operator')).toMatchObject({ status: 200, body: { role: 'operator' } })
    expect((await create()).status).toBe(201)
    await update('operator')
    await update('viewer')
    expect((await create()).status).toBe(403)
    expect((await messagesOf(ada, params)).slice(0, 2)).toEqual([
      'Ada: Made Bob a viewer of project shared',
      'Ada: Made Bob an operator of project shared',
    ])
  })

  it('leave one owner: the owner neither leaves nor is removed nor changed, and hands over once', async () => {
    const { ada, params } = await project()
    const { bob, memberId } = await join(ada, params, 'viewer')
    const { memberId: cyId } = await join(ada, params, 'operator', 'Cy')
    const adaId = await idOf(ada)
    const stays = { status: 409, body: { message: texts.ownerStays } }
    const of = (id: string) => ({ params: { ...params, memberId: id } })
    expect(await ada.call(projectMemberApi.leave, { params })).toMatchObject(stays)
    expect(await ada.call(projectMemberApi.remove, of(adaId))).toMatchObject(stays)
    expect(await ada.call(projectMemberApi.update, { ...of(adaId), body: { role: 'viewer' } })).toMatchObject(
      stays,
    )
    // The one who was asked last.
    for (const id of [cyId, memberId])
      expect((await ada.call(projectMemberApi.handOver, of(id))).status).toBe(202)
    expect((await bob.call(handOverApi.accept, { params })).status).toBe(200)
    const { body: list } = await ada.call(projectMemberApi.list, { params })
    expect(list.map(({ role }) => role)).toEqual(['owner', 'operator', 'operator'])
    expect(list[0]?.role).toBe('owner')
    const owner = await app.db
      .selectFrom('project')
      .select('account_id')
      .where('id', '=', params.projectId)
      .executeTakeFirst()
    expect(owner?.account_id).toBe(list[0]?.id)
    expect((await ada.call(projectMemberApi.leave, { params })).status).toBe(204)
    expect((await ada.call(projectMemberApi.list, { params })).status).toBe(404)
    expect((await bob.call(projectMemberApi.list, { params })).body).toHaveLength(2)
  })

  it('keep links of shared ports from viewers, also in what is said live', async () => {
    const { ada, params } = await project()
    const { bob } = await join(ada, params, 'viewer')
    const { body: key } = await ada.raw('POST', '/api/user/ssh-keys', {
      key_name: 'k',
      ssh_public_key: newPublicKey(),
    })
    const { body: vm } = await ada.call(vmApi.create, {
      params,
      body: { name: 'v', template_id: 'starter', ssh_key_id: (key as { id: string }).id },
    })
    const url = `/api/projects/${params.projectId}`
    await ada.raw('POST', `${url}/vms/${vm.id}/shares`, { port: 3000, audience: 'link' })
    expect((await ada.raw('GET', `${url}/shares`)).body).toMatchObject([
      { address: expect.stringContaining('://') },
    ])
    expect((await bob.raw('GET', `${url}/shares`)).body).toMatchObject([{ address: '' }])
  })
})

describe('what stands on a membership', async () => {
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.app.server.address() as AddressInfo

  async function until(what: string, holds: () => boolean): Promise<void> {
    for (let look = 0; look < 400; look++) {
      if (holds()) return
      await sleep(5)
    }
    throw new Error(`it never came: ${what}`)
  }

  async function withConsole(role: 'viewer' | 'operator') {
    const { ada, params } = await project()
    const { bob, memberId } = await join(ada, params, role)
    const { body: key } = await ada.raw('POST', '/api/user/ssh-keys', {
      key_name: 'k',
      ssh_public_key: newPublicKey(),
    })
    const body = { name: 'v', template_id: 'starter', ssh_key_id: (key as { id: string }).id }
    const { body: vm } = await ada.call(vmApi.create, { params, body })
    await app.clock.advance(30_000)
    const headers = { cookie: bob.cookie ?? '' }
    const path = `/api/projects/${params.projectId}/vms/${vm.id}/console`
    const open = () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
      const seen = { live: false, closed: null as number | null, refused: null as number | null }
      socket.on('message', (data: Buffer, isBinary) => {
        seen.live ||= !isBinary && data.toString().includes('"live"')
      })
      socket.on('close', (code) => {
        seen.closed = code
      })
      socket.on('error', () => {})
      socket.on('unexpected-response', (_, { statusCode }) => {
        seen.refused = statusCode ?? null
      })
      return seen
    }
    return { ada, bob, params: { ...params, memberId }, headers, open }
  }

  it('hears at once of a new name of the owner', async () => {
    const { ada, params } = await project()
    const { bob } = await join(ada, params, 'viewer')
    const stop = new AbortController()
    const stream = await fetch(`http://127.0.0.1:${port}/api/events`, {
      headers: { cookie: bob.cookie ?? '' },
      signal: stop.signal,
    })
    let heard = ''
    const reading = (async () => {
      for await (const part of stream.body ?? []) heard += Buffer.from(part).toString()
    })().catch(() => {})
    await until('the hello', () => heard.includes('hello'))
    await ada.call(accountSettingsApi.update, { body: { name: 'Countess Ada' } })
    await until('the name', () => heard.includes('"owner_name":"Countess Ada"'))
    stop.abort()
    await reading
  })

  it('ends at once: a console when the role falls, an event stream when it is over', async () => {
    const { ada, params, headers, open } = await withConsole('operator')
    const console = open()
    await until('live', () => console.live)
    const stream = await fetch(`http://127.0.0.1:${port}/api/projects/${params.projectId}/events`, {
      headers,
    })
    const reading = stream.text()
    await ada.call(projectMemberApi.update, { params, body: { role: 'viewer' } })
    await until('the end of the console', () => console.closed === 1008)
    const again = open()
    await until('the refusal', () => again.refused === 403)
    await ada.call(projectMemberApi.remove, { params })
    expect(await reading).toContain('event: hello')
    const later = open()
    await until('the refusal', () => later.refused === 404)
  })

  it('is told live: who comes fetches the lists and hears of the project, who goes hears nothing more', async () => {
    const { ada, bob, params, headers } = await withConsole('viewer')
    const stream = await fetch(`http://127.0.0.1:${port}/api/events`, { headers })
    let text = ''
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    const reading = (async () => {
      for (;;) {
        const part = await reader?.read()
        if (!part || part.done) return
        text += part.value
      }
    })()
    const hellos = () => text.split('event: hello').length - 1
    await until('hello', () => hellos() === 1)
    await ada.call(projectMemberApi.update, { params, body: { role: 'operator' } })
    // With it the page fetches its lists, and so its role: also what it may see of objects is another now.
    await until('hello for another role', () => hellos() === 2)
    await ada.call(projectMemberApi.remove, { params })
    await until('hello again', () => hellos() === 3)
    const before = text.length
    await ada.raw('PUT', `/api/projects/${params.projectId}/network`, { internet: false })
    await sleep(50)
    expect(text.slice(before)).not.toContain(params.projectId)
    await bob.raw('POST', '/api/auth/signout')
    await reading
  })
})
