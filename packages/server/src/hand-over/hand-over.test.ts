import {
  binApi,
  diskApi,
  gibibyte,
  handOverApi,
  projectApi,
  projectMemberApi,
  type QuotaLimits,
  handOverTexts as texts,
} from '@slipway/contract'
import { describe, expect } from 'vitest'
import { lastMail } from '../app.test-kit.ts'
import { it as base, type Desk, deskWith } from '../desk.test-kit.ts'

type Person = Pick<Desk['ada'], 'call'>

function handOverOf(desk: Desk) {
  const at = { params: desk.params }
  return {
    ask: (memberId: string) =>
      desk.ada.call(projectMemberApi.handOver, { params: { ...desk.params, memberId } }),
    get: (by: Person) => by.call(handOverApi.get, at),
    withdraw: () => desk.ada.call(handOverApi.withdraw, at),
    accept: (by: Person) => by.call(handOverApi.accept, at),
    decline: (by: Person) => by.call(handOverApi.decline, at),
    roles: async () =>
      Object.fromEntries(
        (await desk.ada.call(projectMemberApi.list, at)).body.map(({ name, role }) => [name, role]),
      ),
    asked: async () =>
      (await desk.ada.call(projectMemberApi.list, at)).body.flatMap(({ name, hand_over_until }) =>
        hand_over_until === null ? [] : name,
      ),
  }
}

const accountQuota = { disk_bytes: 10 * gibibyte, bin_bytes: 10 * gibibyte, vms: 10 }
const it = base
  .extend('desk', () => deskWith({ accountQuota }))
  .extend('handOver', ({ desk }) => handOverOf(desk))

/** What an administrator lets the account have. */
const allow = ({ app }: Desk, account_id: string, resource: keyof QuotaLimits, amount: number) =>
  app.db.insertInto('quota').values({ account_id, resource, amount }).execute()

const none = { status: 404, body: { message: texts.notFound } }

describe('a hand-over', () => {
  it('waits until the member accepts: the owner stays the owner, and becomes an operator then', async ({
    desk,
    handOver,
  }) => {
    const { ada } = desk
    const bob = await desk.member()
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
    const taken = desk.app.db.selectFrom('activity').select('id').where('action', '=', 'handOver.accept')
    expect(await taken.execute()).toHaveLength(1)
  })

  it('is withdrawn, declined, replaced and over, each of which leaves the owner', async ({
    desk,
    handOver,
  }) => {
    const bob = await desk.member()
    const cy = await desk.member('operator', 'Cy')
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
    await desk.app.db.updateTable('hand_over').set({ expires_at: '2000-01-01T00:00:00.000Z' }).execute()
    expect(await handOver.accept(cy)).toMatchObject(none)
    expect(await handOver.asked()).toEqual([])
    const cyNow = { params: { ...desk.params, memberId: cy.id }, body: { role: 'viewer' as const } }
    expect(await desk.ada.call(projectMemberApi.update, cyNow)).toMatchObject({
      status: 200,
      body: { role: 'viewer', hand_over_until: null },
    })
    expect(await handOver.roles()).toMatchObject({ 'Ada Lovelace': 'owner' })
  })

  it('ends with the membership of the one who is asked, and with the project', async ({ desk, handOver }) => {
    const bob = await desk.member()
    await handOver.ask(bob.id)
    await bob.call(projectMemberApi.leave, { params: desk.params })
    expect(await handOver.get(desk.ada)).toMatchObject(none)
    const cy = await desk.member('viewer', 'Cy')
    await handOver.ask(cy.id)
    await desk.ada.call(projectApi.delete, { params: desk.params })
    expect((await handOver.accept(cy)).status).toBe(404)
    expect(await desk.app.db.selectFrom('hand_over').selectAll().execute()).toEqual([])
  })

  it('is accepted or withdrawn, and never both', async ({ desk, handOver }) => {
    const bob = await desk.member()
    const there = (await desk.app.serverBeside()).client(bob.cookie)
    for (let round = 0; round < 5; round++) {
      await handOver.ask(bob.id)
      const [accepted, withdrawn] = await Promise.all([handOver.accept(there), handOver.withdraw()])
      const isBobs = accepted?.status === 200
      expect(isBobs).not.toBe(withdrawn?.status === 204)
      expect((await handOver.roles()).Bob).toBe(isBobs ? 'owner' : 'viewer')
      if (isBobs) return
    }
  })

  it('409 where the account of the one who is asked has no room, with a limit of 0 too, counted at acceptance', async ({
    desk,
    handOver,
  }) => {
    const { ada } = desk
    const bob = await desk.member()
    await desk.readyDisk({ size: '6Gi' })
    await handOver.ask(bob.id)
    expect((await handOver.get(bob)).body.refusal).toBe(null)
    const projectId = await bob.make('/api/projects', { name: 'own' })
    const disk = { name: 'd', size: '6Gi', source: 'EMPTY' } as const
    await bob.call(diskApi.create, { params: { projectId }, body: disk })
    const text =
      'Your account uses 6 GB of its 10 GB of disk space, and 6 GB more is requested. Delete disks, or ask an administrator for a higher limit.'
    expect((await handOver.get(bob)).body.refusal).toBe(text)
    // What another account has left is nobody else's business.
    expect((await handOver.get(ada)).body.refusal).toBe(null)
    expect(await handOver.accept(bob)).toMatchObject({ status: 409, body: { message: text } })
    await allow(desk, bob.id, 'disk_bytes', 0)
    expect(await handOver.accept(bob)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('of its 0 GB of disk space') },
    })
    expect(await handOver.roles()).toEqual({ 'Ada Lovelace': 'owner', Bob: 'viewer' })
  })

  it.for([
    {
      what: 'bytes',
      resource: 'bin_bytes',
      limit: gibibyte,
      fill: async (desk: Desk) => desk.deleteDisk(await desk.readyDisk({ size: '6Gi' })),
      sentence: /1 GB in the bin, .* Empty the bin/,
    },
    {
      what: 'VMs',
      resource: 'vms',
      limit: 0,
      fill: async (desk: Desk) => desk.deleteVm(await desk.runningVm('web')),
      sentence: /0 of at most 0 VMs in its bin, and 1 more .* Empty the bin/,
    },
  ] as const)(
    '409 where the bins would have more $what than the account may keep there, until one is emptied',
    async ({ resource, limit, fill, sentence }, { desk, handOver }) => {
      const bob = await desk.member()
      await fill(desk)
      await desk.pass()
      await allow(desk, bob.id, resource, limit)
      await handOver.ask(bob.id)
      expect(await handOver.accept(bob)).toMatchObject({
        status: 409,
        body: { message: expect.stringMatching(sentence) },
      })
      const body = { before: new Date(desk.app.clock.now()).toISOString() }
      await desk.ada.call(binApi.empty, { params: desk.params, body })
      expect((await handOver.accept(bob)).status).toBe(200)
    },
  )

  it('404 for somebody who is no member, 409 for the owner', async ({ desk, handOver }) => {
    expect((await handOver.ask('nobody')).status).toBe(404)
    expect(await handOver.ask(desk.ada.id)).toMatchObject({
      status: 409,
      body: { message: texts.isOwner },
    })
  })
})
