/** Somebody who has used everything: an installation in which every table has rows, made by calls of the API. */
import { randomUUID } from 'node:crypto'
import type { InsertObject } from 'kysely'
import type { TestApp } from './app.test-kit.ts'
import type { Schema } from './db/schema.ts'

const publicKey = (name: string) =>
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFNsaXB3YXkgZGVtbyBrZXksIG5vdCBmb3IgdXNlLi4u ${name}`

/** Returns her, signed in, and the paths of all that she can list. */
export async function fill(app: TestApp) {
  const ines = await app.signedIn('Ines Halvorsen')
  const make = async (url: string, body: object): Promise<string> => {
    const answer = await ines.raw('POST', url, body, { 'idempotency-key': randomUUID() })
    if (answer.status >= 300) throw new Error(`${url}: ${JSON.stringify(answer.body)}`)
    return (answer.body as { id: string }).id
  }
  const pass = () => app.clock.advance(30_000)
  /** As what happens elsewhere does, or what takes more than calls. */
  const store = <T extends keyof Schema>(table: T, row: InsertObject<Schema, T>) =>
    app.db
      .insertInto(table)
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute()

  await app.client().raw('POST', '/api/auth/signup', {
    name: 'Not verified yet',
    email: 'later@slipway.test',
    password: ines.password,
  })
  const ssh_key_id = await make('/api/user/ssh-keys', {
    key_name: 'thinkpad',
    ssh_public_key: publicKey('ines@thinkpad'),
  })
  await make('/api/user/tokens', { name: 'ci', access: 'write', project_ids: null })
  await make('/api/admin/templates', {
    name: 'Our own',
    description: 'With a picture',
    default_cpu: 1,
    default_memory_mb: 1024,
    image_url: 'https://images.example.org/picture.png',
    start_script: '#!/bin/sh\necho Ünï\n',
  })
  const project = `/api/projects/${await make('/api/projects', { name: 'checkout', description: 'Ünï, 商店 🛒' })}`
  await make('/api/projects', { name: 'playground' })

  const wish = { template_id: 'starter', ssh_key_id }
  const vm = (name: string, more: object = {}) => make(`${project}/vms`, { ...wish, name, ...more })
  const start_script = '#!/bin/sh\necho Ünï\n'
  const web = await vm('web', { start_script })
  const resting = await vm('resting')
  await vm('fault-crash')
  await vm('fault-no-space')
  const brief = await vm('brief', { persistent: false })
  const disk = (body: object) => make(`${project}/disks`, { size: '1Gi', source: 'EMPTY', ...body })
  const ledger = await disk({ name: 'ledger', description: 'What was sold' })
  await disk({ name: 'noble', source: 'HTTP', image_url: 'https://images.example.org/noble.img' })
  await disk({ name: 'refused', source: 'HTTP', image_url: 'https://images.example.org/fault-refused.img' })
  const group = { ...wish, disks: [{ name: 'state', size: '1Gi' }] }
  await make(`${project}/vmpools`, { ...group, name: 'runners', min_size: 1, desired_size: 2, max_size: 4 })
  await make(`${project}/vmsets`, { ...group, name: 'etcd', replicas: 2, start_script })
  await pass()

  await ines.raw('POST', `${project}/vms/${resting}/stop`)
  await ines.raw('POST', `${project}/disks/${ledger}/attach`, { vm_id: web })
  await pass()
  const vmSnapshot = (name: string, snapshot_type: 'disk' | 'full') =>
    make(`${project}/vms/${web}/snapshots`, { name, snapshot_type, retention_days: 365 })
  const good = await vmSnapshot('good', 'disk')
  await pass()
  await vmSnapshot('with memory', 'full')
  const diskSnapshot = (name: string, snapshot_type: 'full' | 'incremental') =>
    make(`${project}/disksnapshots`, { name, snapshot_type, disk_id: ledger, retention_days: 365 })
  await diskSnapshot('monday', 'full')
  await pass()
  await diskSnapshot('tuesday', 'incremental')
  await pass()
  const daily = { time: '03:00', keep: 7 }
  for (const of of [`vms/${web}`, `disks/${ledger}`])
    await ines.raw('PUT', `${project}/${of}/snapshot-schedule`, { daily, time_zone: 'Europe/Berlin' })
  await ines.raw('POST', `${project}/snapshots/${good}/restore`, { vm_id: web })
  // Long enough for means of usage to be stored.
  for (let i = 0; i < 40; i++) {
    await app.clock.advance(10_000)
    await app.idle()
  }
  const shared = await make(`${project}/vms/${web}/shares`, { port: 3000, audience: 'link' })
  await ines.raw('GET', `/share/open?share=${shared}&path=/`)
  await ines.raw('POST', `${project}/invitations`, { email: 'guest@slipway.test', role: 'viewer' })
  const { id: account_id } = (await ines.raw('GET', '/api/auth/me')).body as { id: string }
  const leaving = await app.signedIn('Leaving Soon')
  const { id: to_id } = (await leaving.raw('GET', '/api/auth/me')).body as { id: string }
  const asked = { created_at: '2026-01-01T00:00:00.000Z', expires_at: '2099-01-01T00:00:00.000Z' }
  const project_id = project.split('/').at(-1) ?? ''
  await store('project_member', { project_id, account_id: to_id, role: 'viewer', since: asked.created_at })
  await store('hand_over', { ...asked, project_id, from_id: account_id, to_id })
  await leaving.raw('POST', '/api/user/deletion')
  // As an operator does.
  await store('quota', { account_id, resource: 'vms', amount: 100 })
  // As somebody who signed in with a provider.
  const of = { issuer: 'https://id.slipway.test', subject: 'ines' }
  // Nothing of it is forgotten meanwhile.
  const at = '2099-01-01T00:00:00.000Z'
  await store('identity', { ...of, id: 'i', account_id, email: null, linked_at: at, last_used_at: at })
  const { token_hash } = await app.db
    .selectFrom('session')
    .select('token_hash')
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow()
  await store('oidc_session', { ...of, token_hash, sid: 's', admin_group: 'operators' })
  await store('oidc_logout', { issuer: of.issuer, jti: 'j', sid: null, received_at: at })
  await store('oidc_visit', {
    ...{ state_hash: 's', browser_hash: 'b', provider: 'office', code_verifier: 'v', nonce: 'n' },
    ...{ remember: 0, from_path: '/projects', account_id, expires_at: at },
  })
  // An app that was set up, a code that was not used and a sign-in that waits for one.
  const totp = { secret: 'v1.a.b.c', created_at: 'now', confirmed_at: null, last_step: 0 }
  await store('totp', { account_id, ...totp })
  await store('recovery_code', { account_id, code_hash: 'hash', used_at: null })
  const pending = { remember: 0 as const, password_mark: 'm', tries: 0, expires_at: '9' }
  await store('pending_sign_in', { token_hash: 'h', account_id, ...pending })
  const passkey = { account_id, credential_id: 'c', public_key: 'k', counter: 0, transports: '[]' }
  await store('passkey', { ...passkey, id: 'p', name: 'phone', created_at: 'now', last_used_at: null })
  await store('passkey_challenge', { challenge: 'c', purpose: 'sign-in', session_id: null, expires_at: '9' })
  // As several servers on one PostgreSQL do.
  await store('shared_file', { name: 'ssh_host_key', content: 'a key' })
  await store('notice', { id: 1, tone: 'info', text: 'Hello', set_at: '2026-01-01T00:00:00.000Z' })
  const times = { created_at: 'now', deleted_at: 'now', delete_at: '9' }
  await store('template_bin', {
    ...{ id: 't', name: 'Out of use', description: 'In the bin', ...times },
    ...{ image_url: null, image_id: 'base', default_cpu: 1, default_memory_mb: 512 },
    ...{ retired_at: null, deleted_by: null },
  })
  await make(`${project}/batches`, { action: 'vm.update', ids: [web], add_tags: ['shop'] })
  await pass()
  // Paused, so that nothing is sent to it.
  const webhook_id = await make(`${project}/webhooks`, {
    url: 'https://hooks.example.org/',
    objects: ['vm'],
    paused: true,
  })
  const { id: activity_id } = await app.db
    .selectFrom('activity')
    .select('id')
    .where('project_id', 'is not', null)
    .limit(1)
    .executeTakeFirstOrThrow()
  await store('webhook_delivery', {
    ...{ id: activity_id, webhook_id, activity_id, state: 'failed', asked: 0, tries: 1, next_at: null },
    ...{ tried_at: at, status_code: 500, duration_ms: 20 },
    failure: 'The receiver answered 500 Internal Server Error.',
  })
  const spare = await disk({ name: 'spare' })
  await pass()
  await ines.raw('DELETE', `${project}/disks/${spare}`)
  const old = await make('/api/projects', { name: 'old' })
  await make(`/api/projects/${old}/vms`, { ...wish, name: 'kept' })
  await pass()
  await ines.raw('DELETE', `/api/projects/${old}?with_vms=true`)
  // In the middle of things.
  await make(`${project}/uploads`, { name: 'scans', size: '1Gi', file_name: 'scans.qcow2', file_bytes: 4096 })
  await vm('coming')
  await ines.raw('POST', `${project}/vms/${brief}/stop`)

  const inProject = (name: string) => `${project}/${name}`
  return {
    ...ines,
    lists: [
      ...['projects', 'bin', 'templates'].map((name) => `/api/${name}`),
      ...['ssh-keys', 'tokens', 'activity'].map((name) => `/api/user/${name}`),
      ...['vms', 'disks', 'uploads', 'snapshots', 'disksnapshots', 'vmpools', 'vmsets', 'batches'].map(
        inProject,
      ),
      ...['webhooks', 'bin', 'shares', 'activity', 'usage?range=day'].map(inProject),
    ],
  }
}
