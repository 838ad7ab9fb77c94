/** Accounts that their owners delete: what ends at once, what they can undo, and what is gone after 30 days. */
import {
  accountApi,
  accountDeletionApi,
  accountDeletionTexts,
  adminAccountApi,
  apiTokenApi,
  type Me,
  projectApi,
  projectMemberApi,
  vmApi,
  vmPoolApi,
} from '@slipway/contract'
import { describe, expect } from 'vitest'
import { lastMail } from '../app.test-kit.ts'
import { type Desk, deskWith, it } from '../desk.test-kit.ts'

const day = 24 * 60 * 60_000

const ask = (person: Pick<Desk['ada'], 'call'>) => person.call(accountDeletionApi.request)

/** Days in which nothing happens, at one go, and then what is due. */
async function passDays(desk: Desk, days: number): Promise<void> {
  await desk.app.clock.suspend(days * day)
  await desk.pass()
}

const createPool = (desk: Desk, more: object = {}) =>
  desk.ada.call(vmPoolApi.create, {
    params: desk.params,
    body: { name: 'pool', template_id: 'starter', ssh_key_id: desk.keyId, ...more },
  })

const tables = ['account', 'account_deletion', 'project', 'vm', 'disk', 'vm_group', 'ssh_key'] as const
const rowsOf = async ({ app: { db } }: Desk) =>
  Object.fromEntries(
    await Promise.all(
      tables.map(async (table) => [table, (await db.selectFrom(table).selectAll().execute()).length]),
    ),
  )

describe('what goes along', () => {
  it('200 counts what is there, and names the projects that others are members of', async ({ desk }) => {
    await desk.runningVm('web')
    await desk.readyDisk()
    await desk.ada.call(apiTokenApi.create, { body: { name: 't', access: 'read', project_ids: null } })
    await desk.member()
    const { status, body } = await desk.ada.call(accountDeletionApi.get)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      delete_at: null,
      goes_along: { projects: 1, vms: 1, disks: 1, snapshots: 0, ssh_keys: 1, api_tokens: 1 },
      shared_projects: [{ id: desk.params.projectId, name: 'p', other_members: 1 }],
    })
  })
})

describe('the wish', () => {
  it('202 ends sessions and API tokens, stops the VMs, and tells the owner by mail', async ({ desk }) => {
    const vmId = await desk.runningVm('web')
    const { token } = (
      await desk.ada.call(apiTokenApi.create, { body: { name: 't', access: 'read', project_ids: null } })
    ).body
    const answer = await ask(desk.ada)
    const delete_at = new Date(desk.app.clock.now() + 30 * day).toISOString()
    expect(answer).toMatchObject({ status: 202, body: { delete_at } })
    expect((await desk.ada.call(accountApi.me)).status).toBe(401)
    const byToken = { authorization: `Bearer ${token}` }
    expect((await desk.app.client().raw('GET', '/api/projects', undefined, byToken)).status).toBe(401)
    expect(lastMail(desk.app.mails, desk.ada.email)).toMatchObject({
      subject: 'Your Slipway account is being deleted',
      text: expect.stringContaining(delete_at.slice(0, 10)),
    })
    await desk.pass()
    const vm = await desk.app.db.selectFrom('vm').selectAll().where('id', '=', vmId).executeTakeFirst()
    expect(vm).toMatchObject({ status: 'stopped', wanted_deleted: 0 })
  })

  it('409 for the only administrator; nothing ends', async () => {
    const desk = await deskWith({ admins: ['person-1@slipway.test', 'person-2@slipway.test'] })

    expect(await ask(desk.ada)).toMatchObject({
      status: 409,
      body: { message: accountDeletionTexts.lastAdministrator },
    })
    expect((await desk.ada.call(accountApi.me)).body.delete_at).toBeNull()
    // Another one who can sign in is enough.
    const other = await desk.app.signedIn('Grace')
    expect((await other.call(accountApi.me)).body.is_admin).toBe(true)
    expect((await ask(desk.ada)).status).toBe(202)
    expect((await ask(other)).status).toBe(409)
  })

  it('409 for a second one, also of two at once', async ({ desk }) => {
    const answers = await Promise.all([ask(desk.ada), ask(desk.ada)])
    // The other one came too late, or its session had ended.
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(1)
  })
})

describe('while an account is being deleted', () => {
  it('its owner can sign in, and do nothing but keep it', async ({ desk }) => {
    await ask(desk.ada)
    const { status, body, cookie } = await desk.app.signIn(desk.ada)
    const { delete_at } = (body as { user: Me }).user
    expect([status, delete_at !== null]).toEqual([200, true])
    const ada = desk.app.client(cookie)
    expect((await ada.call(accountApi.me)).body.delete_at).toBe(delete_at)
    expect((await ada.call(accountDeletionApi.get)).body.delete_at).toBe(delete_at)
    expect(await ask(ada)).toMatchObject({ status: 403, body: { message: accountDeletionTexts.leaving } })
  })

  it('members see its projects and change nothing in them, but may leave', async ({ desk }) => {
    const vmId = await desk.runningVm('web')
    const bob = await desk.member('operator')
    await ask(desk.ada)
    await desk.pass()
    const [project] = (await bob.call(projectApi.list)).body
    expect(project?.delete_at).toEqual(expect.stringContaining('T'))
    const [vm] = (await bob.call(vmApi.list, { params: desk.params })).body
    expect(vm).toMatchObject({ id: vmId, status: 'stopped' })
    expect(await bob.call(vmApi.start, { params: { ...desk.params, vmId } })).toMatchObject({
      status: 403,
      body: { message: accountDeletionTexts.frozen },
    })
    expect((await bob.call(projectMemberApi.leave, { params: desk.params })).status).toBe(204)
  })

  it('nothing of it starts by itself: no member of a pool, and nothing after a restart of the server', async ({
    desk,
  }) => {
    await createPool(desk, { min_size: 1, desired_size: 2, max_size: 4 })
    await desk.pass()
    await ask(desk.ada)
    await desk.pass()
    await desk.app.restart()
    await desk.pass(5 * 60_000)
    const vms = await desk.app.db.selectFrom('vm').select(['status', 'wanted_power']).execute()
    expect(vms).toEqual(Array(2).fill({ status: 'stopped', wanted_power: 'off' }))
  })

  it('409 for handing a project over to it', async ({ desk }) => {
    const bob = await desk.member('operator')
    await ask(bob)
    const handOver = { params: { ...desk.params, memberId: bob.id } }
    expect(await desk.ada.call(projectMemberApi.handOver, handOver)).toMatchObject({
      status: 409,
      body: { message: accountDeletionTexts.newOwnerLeaves },
    })
  })

  it('operators see it', async () => {
    const desk = await deskWith({ admins: ['person-1@slipway.test'] })

    const bob = await desk.app.signedIn('Bob')
    await ask(bob)
    const seen = await desk.ada.call(adminAccountApi.get, { params: { accountId: bob.id } })
    expect(seen.body.delete_at).toEqual(expect.stringContaining('T'))
  })
})

describe('keeping it', () => {
  it('204 lets the owner use it again, with its VMs stopped; 409 when it is not being deleted', async ({
    desk,
  }) => {
    const vmId = await desk.runningVm('web')
    await ask(desk.ada)
    await desk.pass()
    const ada = await desk.app.again(desk.ada)
    expect((await ada.call(accountDeletionApi.cancel)).status).toBe(204)
    expect(lastMail(desk.app.mails, desk.ada.email).subject).toBe('Your Slipway account is kept')
    expect((await ada.call(accountApi.me)).body.delete_at).toBeNull()
    const ofVm = { params: { ...desk.params, vmId } }
    expect((await ada.call(vmApi.get, ofVm)).body.status).toBe('stopped')
    expect((await ada.call(vmApi.start, ofVm)).status).toBe(202)
    expect(await ada.call(accountDeletionApi.cancel)).toMatchObject({
      status: 409,
      body: { message: accountDeletionTexts.notRequested },
    })
    await passDays(desk, 31)
    expect(await rowsOf(desk)).toMatchObject({ account: 1, project: 1, vm: 1 })
  })
})

describe('after 30 days', () => {
  it('all of it is gone, and nothing of others', async ({ desk }) => {
    const bob = await desk.app.signedIn('Bob')
    const id = await bob.make('/api/projects', { name: 'bobs' })
    await desk.runningVm('web')
    await desk.readyDisk()
    await createPool(desk)
    await desk.pass()
    await ask(desk.ada)
    await passDays(desk, 29)
    expect(await rowsOf(desk)).toMatchObject({ account: 2, project: 2, vm: 2, disk: 1 })
    await passDays(desk, 2)
    expect(await rowsOf(desk)).toMatchObject({
      account: 1,
      account_deletion: 0,
      project: 1,
      vm: 0,
      disk: 0,
      vm_group: 0,
      ssh_key: 0,
    })
    expect((await desk.app.engine.list()).size).toBe(0)
    expect(await desk.app.db.selectFrom('project').select('id').execute()).toEqual([{ id }])
    expect(lastMail(desk.app.mails, desk.ada.email).subject).toBe('Your Slipway account was deleted')
    expect((await desk.app.signIn(desk.ada)).status).toBe(401)
    const log = JSON.stringify(await desk.app.db.selectFrom('activity').selectAll().execute())
    expect(log).not.toContain('Ada Lovelace')
    expect(log).not.toContain(desk.ada.email)
    expect(log).toContain('An account was deleted')
  })

  it('it is finished by the next server when the first one ends in the middle', async ({ desk }) => {
    await desk.runningVm('web')
    await desk.runningVm('db')
    await ask(desk.ada)
    await desk.app.clock.suspend(30 * day - 60_000)
    for (let i = 0; i < 8; i++) {
      await desk.pass(10_000)
      await desk.app.restart()
    }
    await desk.pass(10 * 60_000)
    expect(await rowsOf(desk)).toMatchObject({ account: 0, project: 0, vm: 0 })
    expect((await desk.app.engine.list()).size).toBe(0)
  })
})
