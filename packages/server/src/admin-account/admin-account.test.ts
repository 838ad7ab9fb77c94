import {
  accountApi,
  adminAccountApi,
  adminAccountTexts,
  type CodeNeeded,
  gibibyte,
  type OwnLimits,
  quotaApi,
  totpApi,
  totpTexts,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, newPublicKey, testApp } from '../app.test-kit.ts'
import { turnOnTotp } from '../totp.test-kit.ts'

const app = await testApp({ admins: ['person-1@slipway.test'], accountQuota: { vms: 7 } })
const grace = await app.signedIn('Grace Hopper')
const ada = await app.signedIn('Ada Lovelace')

const at = (accountId: string) => ({ params: { accountId } })
const list = (query = '', person = grace) => person.raw('GET', `/api/admin/accounts${query}`)
const names = async (query = '', person = grace) =>
  ((await list(query, person)).body as { accounts: { name: string }[] }).accounts.map(({ name }) => name)
const setLimits = (body: OwnLimits | object, person = grace) =>
  person.call(adminAccountApi.setLimits, { ...at(ada.id), body })

describe('the accounts of an installation', () => {
  it('403 for everybody who is no administrator', async () => {
    const refused = { status: 403, body: { message: adminAccountTexts.refused } }
    expect(await list('', ada)).toMatchObject(refused)
    expect(await setLimits({}, ada)).toMatchObject(refused)
  })

  it('404 for one that does not exist', async () => {
    const missing = { status: 404, body: { message: adminAccountTexts.notFound } }
    const { get, disable, enable, removeTotp } = adminAccountApi
    for (const endpoint of [get, disable, enable, removeTotp])
      expect(await grace.call(endpoint, at('nobody'))).toMatchObject(missing)
    expect(await grace.call(adminAccountApi.setLimits, { ...at('nobody'), body: {} })).toMatchObject(missing)
  })

  it('200 newest first, a page at a time, with what each has', async () => {
    const projectId = await ada.make('/api/projects', { name: 'p' })
    const key = { key_name: 'k', ssh_public_key: newPublicKey() }
    const ssh_key_id = await ada.make('/api/user/ssh-keys', key)
    await ada.make(`/api/projects/${projectId}/vms`, { name: 'web', template_id: 'starter', ssh_key_id })
    await app.clock.advance(30_000)
    expect(await names()).toEqual(['Ada Lovelace', 'Grace Hopper'])
    const first = (await list('?limit=1')).body as { accounts: object[]; next: string }
    expect(first).toMatchObject({
      accounts: [{ id: ada.id, email: ada.email, is_admin: false, disabled_at: null, projects: 1, vms: 1 }],
      next: ada.id,
    })
    expect((await list(`?limit=1&before=${first.next}`)).body).toMatchObject({
      accounts: [{ id: grace.id, is_admin: true, projects: 0, vms: 0 }],
      next: null,
    })
    expect((await list('?limit=0')).status).toBe(400)
  })

  it('200 by a part of name or email, in any letter case, and by nothing that a database takes for a pattern', async () => {
    expect(await names('?search=LOVELACE')).toEqual(['Ada Lovelace'])
    expect(await names('?search=person-1@')).toEqual(['Grace Hopper'])
    for (const nobody of ['%25', '_', '%5C', 'nobody']) expect(await names(`?search=${nobody}`)).toEqual([])
  })

  it('200 by a name with other letters than plain ones, on each database alike, also over several pages', async () => {
    const others = await testApp({ admins: ['person-1@slipway.test'] })
    const operator = await others.signedIn('Grace Hopper')
    for (const name of ['École Normale', 'ecole moderne', 'ÉCOLE Sainte', 'Ωmega', 'Other'])
      await others.signedIn(name)
    const found = (search: string, more = '') =>
      names(`?search=${encodeURIComponent(search)}${more}`, operator)
    for (const search of ['école', 'ÉCOLE', 'ecole'])
      expect(await found(search)).toEqual(['ÉCOLE Sainte', 'ecole moderne', 'École Normale'])
    expect(await found('ωMEGA')).toEqual(['Ωmega'])
    expect(await found('ormale', '&limit=1')).toEqual(['École Normale'])
  })
})

describe('the limits of an account', () => {
  it('are those of the settings, then those that were set, which count at once', async () => {
    expect((await grace.call(adminAccountApi.get, at(ada.id))).body).toMatchObject({
      own_limits: {},
      default_limits: { vms: 7, shares: null },
    })
    const limits = { vms: 1, disk_bytes: gibibyte, processors: null }
    const { body } = await setLimits(limits)
    expect(body).toMatchObject({ own_limits: limits, quota: { vms: { used: 1, limit: 1 } } })
    expect((await ada.call(quotaApi.ofAccount)).body.vms).toEqual({ used: 1, limit: 1 })
    // One that is not named follows the settings again.
    expect((await setLimits({})).body).toMatchObject({ own_limits: {}, quota: { vms: { limit: 7 } } })
    // What the log has of the account tells what was set.
    const told = app.db
      .selectFrom('activity')
      .select('message')
      .where('action', '=', 'adminAccount.setLimits')
    expect((await told.orderBy('id').execute()).map(({ message }) => message)).toEqual([
      'Set the limits of account Ada Lovelace: 1 VM, no limit of processors, 1 GB of disk space',
      'Set the limits of account Ada Lovelace: those of the server',
    ])
  })

  it.each([{ vms: -1 }, { vms: 1.5 }, { shares: 'many' }])('400 for %j', async (body) => {
    expect(await setLimits(body)).toMatchObject({
      status: 400,
      body: { message: adminAccountTexts.limitInvalid },
    })
  })
})

describe('an account that is disabled', () => {
  it('has no session any more and cannot sign in, its VMs keep running, and it comes back as it was', async () => {
    const { body } = await grace.call(adminAccountApi.disable, at(ada.id))
    expect(body).toMatchObject({ disabled_at: expect.any(String), last_seen_at: null, vms: 1 })
    expect((await ada.call(accountApi.me)).status).toBe(401)
    expect(await app.signIn(ada)).toMatchObject({ status: 403, body: { message: 'Account access denied' } })
    await app.clock.advance(60_000)
    expect(await app.db.selectFrom('vm').select('status').execute()).toEqual([{ status: 'running' }])
    expect(await grace.call(adminAccountApi.disable, at(ada.id))).toMatchObject({
      status: 409,
      body: { message: adminAccountTexts.alreadyDisabled },
    })
    expect((await grace.call(adminAccountApi.enable, at(ada.id))).body).toMatchObject({ disabled_at: null })
    expect(await grace.call(adminAccountApi.enable, at(ada.id))).toMatchObject({
      status: 409,
      body: { message: adminAccountTexts.notDisabled },
    })
    expect((await app.signIn(ada)).status).toBe(200)
  })

  it('409 for one’s own', async () => {
    expect(await grace.call(adminAccountApi.disable, at(grace.id))).toMatchObject({
      status: 409,
      body: { message: adminAccountTexts.ownAccount },
    })
  })
})

describe('two-factor authentication of somebody who lost app and codes', () => {
  /** Who runs the server signs in anew: what was confirmed long ago does not count. */
  const operator = () => app.again(grace)

  it('200 turned off with its sessions; the password alone signs in, and a mail says so', async () => {
    const [bob, boss] = [await app.signedIn('Bob'), await operator()]
    const { recovery_codes } = await turnOnTotp(bob, app.clock)
    const { token } = ((await app.signIn(bob)).body as CodeNeeded).code_needed
    expect((await boss.call(adminAccountApi.get, at(bob.id))).body.two_factor_since).not.toBeNull()

    const answer = await boss.call(adminAccountApi.removeTotp, at(bob.id))
    expect(answer).toMatchObject({ status: 200, body: { two_factor_since: null, last_seen_at: null } })
    expect((await bob.call(accountApi.me)).status).toBe(401)
    const mail = lastMail(app.mails, bob.email)
    expect(mail.subject).toBe('Two-factor authentication was turned off: your Slipway account')
    expect(mail.text).toContain('An administrator')
    // A sign-in that waited for its code begins anew.
    const code = recovery_codes[0] ?? ''
    expect((await app.client().call(accountApi.signInWithCode, { body: { token, code } })).status).toBe(400)
    const signedIn = await app.signIn(bob)
    expect(signedIn).toMatchObject({ status: 200, body: { user: { email: bob.email } } })
    expect((await app.client(signedIn.cookie).call(totpApi.get)).body).toMatchObject({
      enabled: false,
      recovery_codes_left: 0,
    })
  })

  it('409 where it is off or only begun, and for one’s own', async () => {
    const [bob, boss] = [await app.signedIn('Bob'), await operator()]
    const call = (accountId: string) => boss.call(adminAccountApi.removeTotp, at(accountId))
    const off = { status: 409, body: { message: totpTexts.notOn } }
    expect(await call(bob.id)).toMatchObject(off)
    await bob.call(totpApi.begin)
    expect(await call(bob.id)).toMatchObject(off)
    expect((await bob.call(accountApi.me)).status).toBe(200)
    await turnOnTotp(boss, app.clock)
    expect(await call(grace.id)).toMatchObject({ status: 409, body: { message: adminAccountTexts.ownTotp } })
    expect((await boss.call(totpApi.get)).body.enabled).toBe(true)
  })
})
