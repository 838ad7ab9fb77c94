import {
  accessTexts,
  activityApi,
  binApi,
  diskApi,
  gibibyte,
  handOverApi,
  handOverDays,
  projectApi,
  projectMemberApi,
  type QuotaLimits,
  quotaApi,
  handOverTexts as texts,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail } from '../app.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'

type Person = Desk['ada']

const idOf = async (person: Pick<Person, 'raw'>) =>
  ((await person.raw('GET', '/api/auth/me')).body as { id: string }).id

async function member(desk: Desk, name: string, role: 'viewer' | 'operator' = 'viewer') {
  const person = await desk.app.signedIn(name)
  await desk.ada.call(projectMemberApi.invite, { params: desk.params, body: { email: person.email, role } })
  const token = /token=(\S+)/.exec(lastMail(desk.app.mails, person.email)?.link ?? '')?.[1] ?? ''
  await person.call(projectMemberApi.accept, { body: { token } })
  return { ...person, id: await idOf(person) }
}

function handOverOf(desk: Desk) {
  const at = { params: desk.params }
  return {
    ask: (memberId: string, by: Pick<Person, 'call'> = desk.ada) =>
      by.call(projectMemberApi.handOver, { params: { ...desk.params, memberId } }),
    get: (by: Pick<Person, 'call'>) => by.call(handOverApi.get, at),
    withdraw: (by: Pick<Person, 'call'> = desk.ada) => by.call(handOverApi.withdraw, at),
    accept: (by: Pick<Person, 'call'>) => by.call(handOverApi.accept, at),
    decline: (by: Pick<Person, 'call'>) => by.call(handOverApi.decline, at),
    roles: async () =>
      Object.fromEntries(
        (await desk.ada.call(projectMemberApi.list, at)).body.map(({ name, role }) => [name, role]),
      ),
    asked: async () =>
      (await desk.ada.call(projectMemberApi.list, at)).body.flatMap(({ name, hand_over_until }) =>
        hand_over_until === null ? [] : name,
      ),
    log: async () =>
      (await desk.ada.call(activityApi.ofProject, { ...at, query: {} })).body.entries
        .filter(({ action }) => /handOver/.test(action))
        .map(({ actor, message }) => `${actor?.name}: ${message}`),
  }
}

const atHandOver = (
  test: (desk: Desk, handOver: ReturnType<typeof handOverOf>) => Promise<void>,
  accountQuota: Partial<QuotaLimits> = {},
) => atDesk((desk) => test(desk, handOverOf(desk)), { accountQuota })

const none = { status: 404, body: { message: texts.notFound } }

describe('a hand-over', () => {
  it(
    'waits until the member accepts: the owner stays the owner, and becomes an operator then',
    atHandOver(async (desk, handOver) => {
      const { ada } = desk
      const bob = await member(desk, 'Bob')
      const answer = await handOver.ask(bob.id)
      expect(answer).toMatchObject({
        status: 202,
        body: { project_name: 'p', from: { name: 'Ada Lovelace' }, to: { id: bob.id, name: 'Bob' } },
      })
      expect(await handOver.roles()).toEqual({ 'Ada Lovelace': 'owner', Bob: 'viewer' })
      expect(await handOver.asked()).toEqual(['Bob'])
      const mail = lastMail(desk.app.mails, bob.email)
      expect(mail.link).toBe(`http://slipway.test/invitation?project=${desk.params.projectId}`)
      expect(mail.text).toContain(ada.email)
      expect(await handOver.get(bob)).toMatchObject({ status: 200, body: { ...answer.body, refusal: null } })
      const both = await Promise.all([handOver.accept(bob), handOver.accept(bob)])
      for (const one of both) expect(one).toMatchObject({ status: 200, body: { role: 'owner' } })
      expect(await handOver.roles()).toEqual({ 'Ada Lovelace': 'operator', Bob: 'owner' })
      expect(await handOver.get(bob)).toMatchObject(none)
      expect((await bob.call(quotaApi.ofAccount)).status).toBe(200)
      expect(await handOver.log()).toEqual([
        'Bob: Took over project p from Ada Lovelace',
        'Ada Lovelace: Asked Bob to take over project p',
      ])
    }),
  )

  it(
    'is withdrawn, declined, replaced and over, each of which is told and leaves the owner',
    atHandOver(async (desk, handOver) => {
      const bob = await member(desk, 'Bob')
      const cy = await member(desk, 'Cy', 'operator')
      await handOver.ask(bob.id)
      expect((await handOver.withdraw()).status).toBe(204)
      for (const one of [handOver.withdraw(), handOver.accept(bob), handOver.decline(bob)])
        expect(await one).toMatchObject(none)
      await handOver.ask(bob.id)
      expect((await handOver.decline(bob)).status).toBe(204)
      expect(await handOver.accept(bob)).toMatchObject(none)
      await handOver.ask(bob.id)
      await handOver.ask(cy.id)
      expect(await handOver.asked()).toEqual(['Cy'])
      const forCy = { status: 403, body: { message: texts.notForYou } }
      expect(await handOver.accept(bob)).toMatchObject(forCy)
      expect(await handOver.decline(bob)).toMatchObject(forCy)
      expect(await handOver.withdraw(cy)).toMatchObject({ status: 403, body: { message: accessTexts.owner } })
      await desk.app.db.updateTable('hand_over').set({ expires_at: '2000-01-01T00:00:00.000Z' }).execute()
      expect(await handOver.accept(cy)).toMatchObject(none)
      expect(await handOver.asked()).toEqual([])
      expect(await handOver.roles()).toMatchObject({ 'Ada Lovelace': 'owner' })
      expect((await handOver.log()).slice(0, 6)).toEqual([
        'Ada Lovelace: Asked Cy to take over project p',
        'Ada Lovelace: Asked Bob to take over project p',
        'Bob: Declined to take over project p from Ada Lovelace',
        'Ada Lovelace: Asked Bob to take over project p',
        'Ada Lovelace: Withdrew the hand-over of project p to Bob',
        'Ada Lovelace: Asked Bob to take over project p',
      ])
      expect(handOverDays).toBeGreaterThan(0)
    }),
  )

  it(
    'ends with the membership of the one who is asked, and with the project',
    atHandOver(async (desk, handOver) => {
      const bob = await member(desk, 'Bob')
      await handOver.ask(bob.id)
      await bob.call(projectMemberApi.leave, { params: desk.params })
      expect(await handOver.get(desk.ada)).toMatchObject(none)
      const cy = await member(desk, 'Cy')
      await handOver.ask(cy.id)
      await desk.ada.call(projectApi.delete, { params: desk.params })
      expect((await handOver.accept(cy)).status).toBe(404)
      expect(await desk.app.db.selectFrom('hand_over').selectAll().execute()).toEqual([])
    }),
  )

  it(
    'is accepted or withdrawn, and never both',
    atHandOver(async (desk, handOver) => {
      const bob = await member(desk, 'Bob')
      const there = (await desk.app.serverBeside()).client(bob.cookie)
      for (let round = 0; round < 5; round++) {
        await handOver.ask(bob.id)
        const [accepted, withdrawn] = await Promise.all([handOver.accept(there), handOver.withdraw()])
        const isBobs = accepted?.status === 200
        expect(isBobs).not.toBe(withdrawn?.status === 204)
        expect((await handOver.roles()).Bob).toBe(isBobs ? 'owner' : 'viewer')
        if (isBobs) return
      }
    }),
  )

  it(
    '409 where the account of the one who is asked has no room, with a limit of 0 too, counted at acceptance',
    atHandOver(
      async (desk, handOver) => {
        const { ada } = desk
        const bob = await member(desk, 'Bob')
        await desk.readyDisk({ size: '6Gi' })
        await handOver.ask(bob.id)
        expect((await handOver.get(bob)).body.refusal).toBe(null)
        const { body: own } = await bob.call(projectApi.create, { body: { name: 'own', description: '' } })
        const disk = { name: 'd', size: '6Gi', source: 'EMPTY' } as const
        await bob.call(diskApi.create, { params: { projectId: own.id }, body: disk })
        const text =
          'Your account uses 6 GB of its 10 GB of disk space, and 6 GB more is requested. Delete disks, or ask an administrator for a higher limit.'
        expect((await handOver.get(bob)).body.refusal).toBe(text)
        // What another account has left is nobody else's business.
        expect((await handOver.get(ada)).body.refusal).toBe(null)
        expect(await handOver.accept(bob)).toMatchObject({ status: 409, body: { message: text } })
        await desk.app.db
          .insertInto('quota')
          .values({ account_id: bob.id, resource: 'disk_bytes', amount: 0 })
          .execute()
        expect(await handOver.accept(bob)).toMatchObject({
          status: 409,
          body: { message: expect.stringContaining('of its 0 GB of disk space') },
        })
        expect(await handOver.roles()).toEqual({ 'Ada Lovelace': 'owner', Bob: 'viewer' })
      },
      { disk_bytes: 10 * gibibyte },
    ),
  )

  it(
    '409 where what is in the bin of the project does not fit into that of the account, until it is emptied',
    atHandOver(
      async (desk, handOver) => {
        const bob = await member(desk, 'Bob')
        await desk.deleteDisk(await desk.readyDisk({ size: '6Gi' }))
        await desk.app.db
          .insertInto('quota')
          .values({ account_id: bob.id, resource: 'bin_bytes', amount: gibibyte })
          .execute()
        await handOver.ask(bob.id)
        const refused = await handOver.accept(bob)
        expect(refused).toMatchObject({
          status: 409,
          body: { message: expect.stringMatching(/1 GB in the bin, .* Empty the bin/) },
        })
        const before = new Date(desk.app.clock.now()).toISOString()
        await desk.ada.call(binApi.empty, { params: desk.params, body: { before } })
        expect((await handOver.accept(bob)).status).toBe(200)
      },
      { bin_bytes: 10 * gibibyte },
    ),
  )

  it(
    '409 where the bins would have more VMs than the account may keep there, until one is emptied',
    atHandOver(
      async (desk, handOver) => {
        const bob = await member(desk, 'Bob')
        await desk.deleteVm(await desk.runningVm('web'))
        await desk.pass()
        await desk.app.db
          .insertInto('quota')
          .values({ account_id: bob.id, resource: 'vms', amount: 0 })
          .execute()
        await handOver.ask(bob.id)
        expect(await handOver.accept(bob)).toMatchObject({
          status: 409,
          body: {
            message: expect.stringMatching(/0 of at most 0 VMs in its bin, and 1 more .* Empty the bin/),
          },
        })
        const before = new Date(desk.app.clock.now()).toISOString()
        await desk.ada.call(binApi.empty, { params: desk.params, body: { before } })
        expect((await handOver.accept(bob)).status).toBe(200)
      },
      { vms: 10 },
    ),
  )

  it(
    '404 for somebody who is no member, 409 for the owner, 403 for anybody but the owner',
    atHandOver(async (desk, handOver) => {
      const bob = await member(desk, 'Bob', 'operator')
      expect((await handOver.ask('nobody')).status).toBe(404)
      expect(await handOver.ask(await idOf(desk.ada))).toMatchObject({
        status: 409,
        body: { message: texts.isOwner },
      })
      expect((await handOver.ask(bob.id, bob)).status).toBe(403)
    }),
  )
})
