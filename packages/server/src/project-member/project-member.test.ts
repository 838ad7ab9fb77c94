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
import { lastMail, newPublicKey, testApp, tokenOf } from '../app.test-kit.ts'

const app = await testApp()
type Person = Pick<Awaited<ReturnType<typeof app.signedIn>>, 'raw' | 'make'>

const linkToken = (email: string) => tokenOf(lastMail(app.mails, email))

async function project() {
  const ada = await app.signedIn('Ada')
  const params = { projectId: await ada.make('/api/projects', { name: 'shared' }) }
  const join = (role: 'viewer' | 'operator', name = 'Bob') => app.member(ada, params.projectId, role, name)
  return { ada, params, join }
}

/** A VM of somebody with a key of theirs. */
async function makeVm(person: Person, { projectId }: { projectId: string }) {
  const key = { key_name: 'k', ssh_public_key: newPublicKey() }
  const ssh_key_id = await person.make('/api/user/ssh-keys', key)
  const create = () =>
    person.raw('POST', `/api/projects/${projectId}/vms`, { name: 'v', template_id: 'starter', ssh_key_id })
  const { id } = (await create()).body as { id: string }
  return { id, create }
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
    const joinedProject = { id: params.projectId, role: 'viewer', owner_name: 'Ada' }
    expect((await bob.call(projectApi.list)).body).toMatchObject([joinedProject])
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
    const { ada, params, join } = await project()
    const bob = await join('viewer')
    const of = { params: { ...params, memberId: bob.id } }
    const body = { token: linkToken(bob.email) }
    expect((await ada.call(projectMemberApi.remove, of)).status).toBe(204)
    expect((await bob.call(projectMemberApi.accept, { body })).status).toBe(409)
    expect((await bob.call(vmApi.list, { params })).status).toBe(404)
  })

  it('409 for a member, 400 for what is no address or role', async () => {
    const { ada, params, join } = await project()
    const bob = await join('viewer')
    const invite = (body: object) => ada.call(projectMemberApi.invite, { params, body })
    const mails = app.mails.length
    for (const email of [bob.email, ada.email])
      expect((await invite({ email, role: 'viewer' })).status).toBe(409)
    expect(app.mails).toHaveLength(mails)
    expect((await invite({ email: 'nobody', role: 'viewer' })).status).toBe(400)
    expect((await invite({ email: 'a@b.test', role: 'owner' })).status).toBe(400)
  })
})

describe('roles', () => {
  it('change with the next request, and the activity names who did it', async () => {
    const { ada, params, join } = await project()
    const bob = await join('viewer')
    const { create } = await makeVm(bob, params)
    expect(await create()).toMatchObject({ status: 403, body: { message: accessTexts.operator } })
    const update = (role: string) =>
      ada.call(projectMemberApi.update, { params: { ...params, memberId: bob.id }, body: { role } })
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
    const { ada, params, join } = await project()
    const [bob, cy] = [await join('viewer'), await join('operator', 'Cy')]
    const stays = { status: 409, body: { message: texts.ownerStays } }
    const of = (id: string) => ({ params: { ...params, memberId: id } })
    expect(await ada.call(projectMemberApi.leave, { params })).toMatchObject(stays)
    expect(await ada.call(projectMemberApi.remove, of(ada.id))).toMatchObject(stays)
    const viewer = { ...of(ada.id), body: { role: 'viewer' } }
    expect(await ada.call(projectMemberApi.update, viewer)).toMatchObject(stays)
    // The one who was asked last.
    for (const { id } of [cy, bob])
      expect((await ada.call(projectMemberApi.handOver, of(id))).status).toBe(202)
    expect((await bob.call(handOverApi.accept, { params })).status).toBe(200)
    const { body: list } = await ada.call(projectMemberApi.list, { params })
    expect(list.map(({ role }) => role)).toEqual(['owner', 'operator', 'operator'])
    const row = app.db.selectFrom('project').select('account_id').where('id', '=', params.projectId)
    expect(await row.execute()).toEqual([{ account_id: list[0]?.id }])
    expect((await ada.call(projectMemberApi.leave, { params })).status).toBe(204)
    expect((await ada.call(projectMemberApi.list, { params })).status).toBe(404)
    expect((await bob.call(projectMemberApi.list, { params })).body).toHaveLength(2)
  })

  it('keep links of shared ports from viewers, also in what is said live', async () => {
    const { ada, params, join } = await project()
    const bob = await join('viewer')
    const { id } = await makeVm(ada, params)
    const url = `/api/projects/${params.projectId}`
    await ada.raw('POST', `${url}/vms/${id}/shares`, { port: 3000, audience: 'link' })
    const link = expect.stringContaining('://')
    expect((await ada.raw('GET', `${url}/shares`)).body).toMatchObject([{ address: link }])
    expect((await bob.raw('GET', `${url}/shares`)).body).toMatchObject([{ address: '' }])
  })
})

describe('what stands on a membership', async () => {
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.app.server.address() as AddressInfo

  /** What an event stream of somebody tells. */
  async function listen(cookie = '', path = '/api/events') {
    const stream = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } })
    const heard = { text: '' }
    const reading = (async () => {
      for await (const part of stream.body ?? []) heard.text += Buffer.from(part).toString()
    })()
    return { heard, reading }
  }

  async function withConsole(role: 'viewer' | 'operator') {
    const { ada, params, join } = await project()
    const bob = await join(role)
    const { id } = await makeVm(ada, params)
    await app.clock.advance(30_000)
    const headers = { cookie: bob.cookie ?? '' }
    const path = `/api/projects/${params.projectId}/vms/${id}/console`
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
    return { ada, bob, params: { ...params, memberId: bob.id }, open }
  }

  it('hears at once of a new name of the owner', async () => {
    const { ada, join } = await project()
    const bob = await join('viewer')
    const { heard, reading } = await listen(bob.cookie)
    await expect.poll(() => heard.text).toContain('hello')
    await ada.call(accountSettingsApi.update, { body: { name: 'Countess Ada' } })
    await expect.poll(() => heard.text).toContain('"owner_name":"Countess Ada"')
    await bob.raw('POST', '/api/auth/signout')
    await reading
  })

  it('ends at once: a console when the role falls, an event stream when it is over', async () => {
    const { ada, bob, params, open } = await withConsole('operator')
    const console = open()
    await expect.poll(() => console.live).toBe(true)
    const { heard, reading } = await listen(bob.cookie, `/api/projects/${params.projectId}/events`)
    await ada.call(projectMemberApi.update, { params, body: { role: 'viewer' } })
    await expect.poll(() => console.closed).toBe(1008)
    const again = open()
    await expect.poll(() => again.refused).toBe(403)
    await ada.call(projectMemberApi.remove, { params })
    await reading
    expect(heard.text).toContain('event: hello')
    const later = open()
    await expect.poll(() => later.refused).toBe(404)
  })

  it('is told live: who comes fetches the lists and hears of the project, who goes hears nothing more', async () => {
    const { ada, bob, params } = await withConsole('viewer')
    const { heard, reading } = await listen(bob.cookie)
    const hellos = () => heard.text.split('event: hello').length - 1
    await expect.poll(hellos).toBe(1)
    await ada.call(projectMemberApi.update, { params, body: { role: 'operator' } })
    // With it the page fetches its lists, and so its role: also what it may see of objects is another now.
    await expect.poll(hellos).toBe(2)
    await ada.call(projectMemberApi.remove, { params })
    await expect.poll(hellos).toBe(3)
    const before = heard.text.length
    await ada.raw('PUT', `/api/projects/${params.projectId}/network`, { internet: false })
    await sleep(50)
    expect(heard.text.slice(before)).not.toContain(params.projectId)
    await bob.raw('POST', '/api/auth/signout')
    await reading
  })
})
