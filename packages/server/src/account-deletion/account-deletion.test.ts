/** Accounts that their owners delete: what ends at once, what they can undo, and what is gone after 30 days. */
import {
  accountApi,
  accountDeletionApi,
  accountDeletionTexts,
  accountSettingsApi,
  adminAccountApi,
  apiTokenApi,
  diskApi,
  type Me,
  projectApi,
  projectMemberApi,
  proofLastsMs,
  proofTexts,
  sshKeyApi,
  vmApi,
  vmPoolApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, type TestApp } from '../app.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'

const day = 24 * 60 * 60_000
type Person = Desk['ada']

const ask = (person: Pick<Person, 'call'>) => person.call(accountDeletionApi.request)
const signIn = async (app: TestApp, { email, password }: Pick<Person, 'email' | 'password'>) =>
  app.client().call(accountApi.signIn, { body: { email, password } })

/** Signed in again, with an account that is being deleted. */
async function back(desk: Desk, person: Person = desk.ada) {
  const { cookie } = await signIn(desk.app, person)
  return desk.app.client(cookie)
}

/** Days in which nothing happens, at one go, and then what is due. */
async function passDays(desk: Desk, days: number): Promise<void> {
  await desk.app.clock.suspend(days * day)
  await desk.pass()
}

/** Another member of the project of the desk. */
async function member(desk: Desk, role: 'viewer' | 'operator') {
  const person = await desk.app.signedIn('Bob')
  await desk.ada.call(projectMemberApi.invite, { params: desk.params, body: { email: person.email, role } })
  const token = /token=(\S+)/.exec(lastMail(desk.app.mails, person.email).link)?.[1] ?? ''
  await person.call(projectMemberApi.accept, { body: { token } })
  const { id } = (await person.call(accountApi.me)).body
  return { ...person, id }
}

const rowsOf = async (desk: Desk) =>
  Object.fromEntries(
    await Promise.all(
      (
        ['account', 'account_deletion', 'project', 'vm', 'disk', 'vm_group', 'ssh_key', 'session'] as const
      ).map(async (table) => [table, (await desk.app.db.selectFrom(table).selectAll().execute()).length]),
    ),
  )

describe('what goes along', () => {
  it(
    '200 counts what is there, and names the projects that others are members of',
    atDesk(async (desk) => {
      await desk.runningVm('web')
      await desk.readyDisk()
      await desk.ada.call(apiTokenApi.create, { body: { name: 't', access: 'read', project_ids: null } })
      await member(desk, 'viewer')
      const { status, body } = await desk.ada.call(accountDeletionApi.get)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        delete_at: null,
        goes_along: { projects: 1, vms: 1, disks: 1, snapshots: 0, ssh_keys: 1, api_tokens: 1 },
        shared_projects: [{ id: desk.params.projectId, name: 'p', other_members: 1 }],
      })
    }),
  )
})

describe('the wish', () => {
  it(
    '202 ends sessions and API tokens, stops the VMs, and tells the owner by mail',
    atDesk(async (desk) => {
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
    }),
  )

  it(
    '409 for the only administrator; nothing ends',
    atDesk(
      async (desk) => {
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
      },
      { admins: ['person-1@slipway.test', 'person-2@slipway.test'] },
    ),
  )

  it(
    '409 for a second one, also of two at once',
    atDesk(async (desk) => {
      const answers = await Promise.all([ask(desk.ada), ask(desk.ada)])
      // The other one came too late, or its session had ended.
      const statuses = answers.map(({ status }) => status)
      expect(statuses).toContain(202)
      expect(statuses.filter((status) => status === 202)).toHaveLength(1)
    }),
  )

  it(
    '403 for who did not confirm lately who they are',
    atDesk(async (desk) => {
      await desk.app.clock.advance(proofLastsMs)
      expect(await ask(desk.ada)).toMatchObject({ status: 403, body: { message: proofTexts.needed } })
    }),
  )

  it(
    'is for sessions only',
    atDesk(async (desk) => {
      const { token } = (
        await desk.ada.call(apiTokenApi.create, { body: { name: 't', access: 'write', project_ids: null } })
      ).body
      const headers = { authorization: `Bearer ${token}` }
      expect((await desk.app.client().raw('POST', '/api/user/deletion', undefined, headers)).status).toBe(403)
    }),
  )
})

describe('while an account is being deleted', () => {
  it(
    'its owner can sign in, and do nothing but keep it',
    atDesk(async (desk) => {
      await ask(desk.ada)
      const { status, body, cookie } = await signIn(desk.app, desk.ada)
      const { delete_at } = (body as { user: Me }).user
      expect([status, delete_at !== null]).toEqual([200, true])
      const ada = desk.app.client(cookie)
      expect((await ada.call(accountApi.me)).body.delete_at).toBe(delete_at)
      expect((await ada.call(accountDeletionApi.get)).body.delete_at).toBe(delete_at)
      const refused = { status: 403, body: { message: accountDeletionTexts.leaving } }
      expect(await ada.call(projectApi.list)).toMatchObject(refused)
      expect(await ada.call(projectApi.create, { body: { name: 'x' } })).toMatchObject(refused)
      expect(await ada.call(sshKeyApi.list)).toMatchObject(refused)
      expect(await ada.call(accountSettingsApi.sessions)).toMatchObject(refused)
      expect((await ask(ada)).status).toBe(403)
    }),
  )

  it(
    'members see its projects and change nothing in them, but may leave',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      const bob = await member(desk, 'operator')
      await ask(desk.ada)
      await desk.pass()
      const [project] = (await bob.call(projectApi.list)).body
      expect(project?.delete_at).toEqual(expect.stringContaining('T'))
      const [vm] = (await bob.call(vmApi.list, { params: desk.params })).body
      expect(vm).toMatchObject({ id: vmId, status: 'stopped' })
      const refused = { status: 403, body: { message: accountDeletionTexts.frozen } }
      const ofVm = { params: { ...desk.params, vmId } }
      expect(await bob.call(vmApi.start, ofVm)).toMatchObject(refused)
      const disk = { name: 'd', size: '1Gi', source: 'EMPTY' }
      expect(await bob.call(diskApi.create, { params: desk.params, body: disk })).toMatchObject(refused)
      expect((await bob.call(projectMemberApi.leave, { params: desk.params })).status).toBe(204)
    }),
  )

  it(
    'nothing of it starts by itself: no member of a pool, and nothing after a restart of the server',
    atDesk(async (desk) => {
      await desk.ada.call(vmPoolApi.create, {
        params: desk.params,
        body: {
          name: 'pool',
          template_id: 'starter',
          ssh_key_id: desk.keyId,
          min_size: 1,
          desired_size: 2,
          max_size: 4,
        },
      })
      await desk.pass()
      await ask(desk.ada)
      await desk.pass()
      await desk.app.restart()
      await desk.pass(5 * 60_000)
      const vms = await desk.app.db.selectFrom('vm').select(['status', 'wanted_power']).execute()
      expect(vms).toEqual([
        { status: 'stopped', wanted_power: 'off' },
        { status: 'stopped', wanted_power: 'off' },
      ])
    }),
  )

  it(
    '409 for handing a project over to it',
    atDesk(async (desk) => {
      const bob = await member(desk, 'operator')
      await ask(bob)
      const handOver = { params: { ...desk.params, memberId: bob.id } }
      expect(await desk.ada.call(projectMemberApi.handOver, handOver)).toMatchObject({
        status: 409,
        body: { message: accountDeletionTexts.newOwnerLeaves },
      })
    }),
  )

  it(
    'operators see it',
    atDesk(
      async (desk) => {
        const bob = await desk.app.signedIn('Bob')
        const { id } = (await bob.call(accountApi.me)).body
        await ask(bob)
        const seen = await desk.ada.call(adminAccountApi.get, { params: { accountId: id } })
        expect(seen.body.delete_at).toEqual(expect.stringContaining('T'))
      },
      { admins: ['person-1@slipway.test'] },
    ),
  )
})

describe('keeping it', () => {
  it(
    '204 lets the owner use it again, with its VMs stopped; 409 when it is not being deleted',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web')
      await ask(desk.ada)
      await desk.pass()
      const ada = await back(desk)
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
    }),
  )
})

describe('after 30 days', () => {
  it(
    'all of it is gone, and nothing of others',
    atDesk(async (desk) => {
      const bob = await desk.app.signedIn('Bob')
      const ofBob = await bob.call(projectApi.create, { body: { name: 'bobs' } })
      await desk.runningVm('web')
      await desk.readyDisk()
      await desk.ada.call(vmPoolApi.create, {
        params: desk.params,
        body: { name: 'pool', template_id: 'starter', ssh_key_id: desk.keyId },
      })
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
      expect(await desk.app.db.selectFrom('project').select('id').execute()).toEqual([{ id: ofBob.body.id }])
      expect(lastMail(desk.app.mails, desk.ada.email).subject).toBe('Your Slipway account was deleted')
      expect((await signIn(desk.app, desk.ada)).status).toBe(401)
      const log = JSON.stringify(await desk.app.db.selectFrom('activity').selectAll().execute())
      expect(log).not.toContain('Ada Lovelace')
      expect(log).not.toContain(desk.ada.email)
      expect(log).toContain('An account was deleted')
    }),
  )

  it(
    'it is finished by the next server when the first one ends in the middle',
    atDesk(async (desk) => {
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
    }),
  )
})
