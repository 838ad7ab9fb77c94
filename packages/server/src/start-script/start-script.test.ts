import {
  fillPath,
  groupSnapshotTexts,
  messages,
  startScriptApi,
  startScriptTexts as texts,
  vmApi,
  vmPoolApi,
  vmSetApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'

const secret = 'hunter2-and-more'
const script = `#!/bin/sh\n# ${secret}\necho Hello\nexit 3\n`
/** Of somebody else's image, so that there is cloud-init. */
const foreign = { template_id: 'ubuntu-lts' }

const read = async (desk: Desk, vmId: string) =>
  (await desk.ada.call(startScriptApi.get, { params: { ...desk.params, vmId } })).body

describe('a start script', () => {
  it(
    'is kept with its VM, runs at the first boot, and its result stays',
    atDesk(async (desk) => {
      const { status, body: vm } = await desk.createVm('web', { start_script: script })
      expect(status).toBe(201)
      const unrun = { script, exit_code: null, finished_at: null, output: '', message: null }
      expect(await read(desk, vm.id)).toEqual({ ...unrun, state: 'waiting' })
      await desk.pass(5_000)
      expect(await read(desk, vm.id)).toEqual({ ...unrun, state: 'running' })
      await desk.pass()
      const end = await read(desk, vm.id)
      expect(end).toMatchObject({ script, state: 'failed', exit_code: 3, output: 'Hello\n', message: null })
      expect(Date.parse(end.finished_at ?? '')).toBeLessThan(desk.app.clock.now())
      // It is stored: nobody has to ask the guest again, and a restart runs nothing.
      await desk.act('stop', vm.id)
      await desk.pass()
      expect(await read(desk, vm.id)).toEqual(end)
      await desk.act('start', vm.id)
      await desk.pass()
      expect(await read(desk, vm.id)).toEqual(end)
    }),
  )

  it(
    'that ends well has succeeded; one that nobody read before the VM stopped is unknown until it runs',
    atDesk(async (desk) => {
      const vmId = await desk.stoppedVm('web', { start_script: '#!/bin/sh\necho Fine\n' })
      expect(await read(desk, vmId)).toMatchObject({
        state: 'unknown',
        message: 'Start the VM to read the result from its guest.',
        output: '',
      })
      await desk.act('start', vmId)
      await desk.pass()
      expect(await read(desk, vmId)).toMatchObject({ state: 'succeeded', exit_code: 0, output: 'Fine\n' })
    }),
  )

  it(
    'that was cut short by the end of its guest has failed, and says why',
    atDesk(async (desk) => {
      const { body: vm } = await desk.createVm('web', { start_script: script })
      await desk.pass(5_000)
      await desk.ada.call(vmApi.stop, { params: { ...desk.params, vmId: vm.id }, body: { force: true } })
      await desk.pass()
      await desk.act('start', vm.id)
      await desk.pass()
      expect(await read(desk, vm.id)).toMatchObject({
        state: 'failed',
        exit_code: null,
        message: 'The guest stopped or restarted before the script ended.',
      })
    }),
  )

  it(
    'runs again at each start where the root disk is not kept',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web', { start_script: script, persistent: false })
      const first = await read(desk, vmId)
      expect(first).toMatchObject({ state: 'failed' })
      await desk.act('stop', vmId)
      await desk.pass()
      expect(await read(desk, vmId)).toEqual(first)
      await desk.act('start', vmId)
      await desk.pass()
      const second = await read(desk, vmId)
      expect(second).toMatchObject({ state: 'failed', exit_code: 3 })
      expect(second.finished_at).not.toBe(first.finished_at)
    }),
  )

  it(
    'is none where none was given, also of a copy of a VM that had one',
    atDesk(async (desk) => {
      const none = {
        script: null,
        state: 'none',
        message: null,
        exit_code: null,
        finished_at: null,
        output: '',
      }
      expect(await read(desk, await desk.runningVm('plain'))).toEqual(none)
      const vmId = await desk.runningVm('web', { start_script: script })
      const { body: copies } = await desk.ada.call(vmApi.fork, {
        params: { ...desk.params, vmId },
        body: { name: 'copy' },
      })
      await desk.pass(120_000)
      for (const { id } of copies) expect(await read(desk, id)).toEqual(none)
    }),
  )

  it(
    'may be settings for cloud-init where the template has it',
    atDesk(async (desk) => {
      const start_script = '#cloud-config\npackages: [nginx]\n'
      const { status, body } = await desk.createVm('web', { ...foreign, start_script })
      expect(status).toBe(201)
      expect(await read(desk, body.id)).toMatchObject({ state: 'waiting', script: start_script })
    }),
  )

  it.each([
    ['echo hello', {}, texts.form],
    ['', {}, texts.form],
    [`#!/bin/sh\n${'x'.repeat(64 * 1024)}`, {}, texts.tooLarge],
    ['#!/bin/sh\n\0', {}, texts.nullCharacter],
    ['#!/bin/sh\r\n', {}, texts.lineEnds],
    ['#cloud-config\npackages: [nginx]', {}, texts.noCloudInit],
    ['#cloud-config\n- nginx', foreign, texts.notMapping],
    ['#cloud-config\n', foreign, texts.notMapping],
    ['#cloud-config\njust text', foreign, texts.notMapping],
    ['#cloud-config\na: [', foreign, texts.notMapping],
    [`#cloud-config\na: ${'['.repeat(60_000)}`, foreign, texts.notMapping],
  ])(
    'that a guest could not run is refused at its field, and nothing is stored (%#)',
    (start_script, more, message) =>
      atDesk(async (desk) => {
        expect(await desk.createVm('web', { ...more, start_script })).toMatchObject({
          status: 400,
          body: { message, fields: { start_script: message } },
        })
        expect((await desk.ada.call(vmApi.list, { params: desk.params })).body).toEqual([])
        expect(await desk.app.db.selectFrom('vm_start_script').selectAll().execute()).toEqual([])
      })(),
  )

  it(
    'may be as large as 64 kB however it is written in JSON',
    atDesk(async (desk) => {
      const large = `#!/bin/sh\n${'\u0001'.repeat(64 * 1024 - 10)}`
      const { status, body } = await desk.createVm('web', { start_script: large })
      expect(status).toBe(201)
      expect((await read(desk, body.id)).script).toBe(large)
    }),
  )

  it(
    'stands in no list, event, answer, activity or key but its own table',
    atDesk(async (desk) => {
      const told: unknown[] = []
      desk.app.subscribe(desk.params.projectId, (...event) => told.push(event))
      const created = await desk.ada.raw(
        'POST',
        `/api/projects/${desk.params.projectId}/vms`,
        { name: 'web', template_id: 'starter', ssh_key_id: desk.keyId, start_script: script },
        { 'idempotency-key': '01234567-89ab-4cde-8f01-23456789abcd' },
      )
      expect(created.status).toBe(201)
      await desk.pass()
      const list = await desk.ada.call(vmApi.list, { params: desk.params })
      expect(JSON.stringify([told, created.body, list.body])).not.toContain(secret)
      for (const table of ['vm', 'activity', 'idempotency_key'] as const)
        expect(JSON.stringify(await desk.app.db.selectFrom(table).selectAll().execute())).not.toContain(
          secret,
        )
    }),
  )

  it(
    'goes with its VM',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web', { start_script: script })
      await desk.deleteVm(vmId)
      expect(await desk.ada.call(startScriptApi.get, { params: { ...desk.params, vmId } })).toMatchObject({
        status: 404,
        body: { message: messages.vmNotFound },
      })
      await desk.pass()
      expect(await desk.app.db.selectFrom('vm_start_script').selectAll().execute()).toEqual([])
    }, withoutBin),
  )

  it(
    'is read by people of the project who may operate its VMs, and by nobody else',
    atDesk(async (desk) => {
      const vmId = await desk.runningVm('web', { start_script: script })
      const ask = { params: { ...desk.params, vmId } }
      const bob = await desk.app.signedIn('Bob')
      expect((await bob.call(startScriptApi.get, ask)).status).toBe(404)
      expect((await desk.app.client().call(startScriptApi.get, ask)).status).toBe(401)
      const add = (role: 'viewer' | 'operator') =>
        desk.app.db
          .insertInto('project_member')
          .values({ ...member, role })
          .onConflict((c) => c.columns(['project_id', 'account_id']).doUpdateSet({ role }))
          .execute()
      const { id } = await desk.app.db
        .selectFrom('account')
        .select('id')
        .where('email', '=', bob.email)
        .executeTakeFirstOrThrow()
      const member = { project_id: desk.params.projectId, account_id: id, since: new Date(0).toISOString() }
      await add('viewer')
      expect((await bob.call(startScriptApi.get, ask)).status).toBe(403)
      await add('operator')
      expect(await bob.call(startScriptApi.get, ask)).toMatchObject({ status: 200, body: { script } })
    }),
  )

  describe.each([
    ['pools', vmPoolApi, { min_size: 1, desired_size: 2, max_size: 3 }],
    ['sets', vmSetApi, { replicas: 2 }],
  ] as const)('of VM %s', (_, api, sizes) => {
    const create = (desk: Desk, more: object) =>
      desk.ada.raw('POST', fillPath(api.create.path, desk.params), {
        name: 'crew',
        template_id: 'starter',
        ssh_key_id: desk.keyId,
        ...sizes,
        ...more,
      })
    const vmsOf = async (desk: Desk) => (await desk.ada.call(vmApi.list, { params: desk.params })).body

    it(
      'is run by each VM, and stands in no answer',
      atDesk(async (desk) => {
        const answer = await create(desk, { start_script: script })
        expect(answer.status).toBe(201)
        expect(JSON.stringify(answer.body)).not.toContain(secret)
        await desk.pass(60_000)
        const members = await vmsOf(desk)
        expect(members).toHaveLength(2)
        for (const { id } of members)
          expect(await read(desk, id)).toMatchObject({ script, state: 'failed', exit_code: 3 })
        // Stored once, however many VMs there are.
        const own = await desk.app.db.selectFrom('vm_start_script').select('script').execute()
        expect(own).toEqual([{ script: null }, { script: null }])
      }),
    )

    it(
      'is none where none was given',
      atDesk(async (desk) => {
        await create(desk, {})
        await desk.pass(60_000)
        for (const { id } of await vmsOf(desk)) expect(await read(desk, id)).toMatchObject({ state: 'none' })
      }),
    )

    it.each([
      [{ start_script: 'echo' }, texts.form],
      [{ start_script: '#cloud-config\na: 1\n' }, texts.noCloudInit],
      [{ start_script: '#cloud-config\n- a\n', ...foreign }, texts.notMapping],
      [{ start_script: script, snapshot_id: 'some' }, groupSnapshotTexts.startScript],
    ])('is refused at its field where no VM could run it (%#)', (more, message) =>
      atDesk(async (desk) => {
        expect(await create(desk, more)).toMatchObject({
          status: 400,
          body: { message, fields: { start_script: message } },
        })
        expect(await desk.app.db.selectFrom('vm_group').selectAll().execute()).toEqual([])
      })(),
    )
  })
})
