import {
  fillPath,
  groupSnapshotTexts,
  leastRoles,
  startScriptApi,
  startScriptTexts as texts,
  vmPoolApi,
  vmSetApi,
} from '@slipway/contract'
import { describe, expect } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'

const secret = 'hunter2-and-more'
const script = `#!/bin/sh\n# ${secret}\necho Hello\nexit 3\n`
/** Of somebody else's image, so that there is cloud-init. */
const foreign = { template_id: 'ubuntu-lts' }

const read = async (desk: Desk, vmId: string) =>
  (await desk.ada.call(startScriptApi.get, { params: { ...desk.params, vmId } })).body

describe('a start script', () => {
  it('is kept with its VM, runs at the first boot, and its result stays', async ({ desk }) => {
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
    await desk.done(desk.act('stop', vm.id))
    expect(await read(desk, vm.id)).toEqual(end)
    await desk.done(desk.act('start', vm.id))
    expect(await read(desk, vm.id)).toEqual(end)
  })

  it('that ends well has succeeded; one that nobody read before the VM stopped is unknown until it runs', async ({
    desk,
  }) => {
    const vmId = await desk.stoppedVm('web', { start_script: '#!/bin/sh\necho Fine\n' })
    expect(await read(desk, vmId)).toMatchObject({
      state: 'unknown',
      message: 'Start the VM to read the result from its guest.',
      output: '',
    })
    await desk.done(desk.act('start', vmId))
    expect(await read(desk, vmId)).toMatchObject({ state: 'succeeded', exit_code: 0, output: 'Fine\n' })
  })

  it('that was cut short by the end of its guest has failed, and says why', async ({ desk }) => {
    const { body: vm } = await desk.createVm('web', { start_script: script })
    await desk.pass(5_000)
    await desk.done(desk.act('stop', vm.id, { force: true }))
    await desk.done(desk.act('start', vm.id))
    expect(await read(desk, vm.id)).toMatchObject({
      state: 'failed',
      exit_code: null,
      message: 'The guest stopped or restarted before the script ended.',
    })
  })

  it('runs again at each start where the root disk is not kept', async ({ desk }) => {
    const vmId = await desk.runningVm('web', { start_script: script, persistent: false })
    const first = await read(desk, vmId)
    expect(first).toMatchObject({ state: 'failed' })
    await desk.done(desk.act('stop', vmId))
    expect(await read(desk, vmId)).toEqual(first)
    await desk.done(desk.act('start', vmId))
    const second = await read(desk, vmId)
    expect(second).toMatchObject({ state: 'failed', exit_code: 3 })
    expect(second.finished_at).not.toBe(first.finished_at)
  })

  it('is none where none was given, also of a copy of a VM that had one', async ({ desk }) => {
    const unrun = { script: null, state: 'none', message: null }
    const none = { ...unrun, exit_code: null, finished_at: null, output: '' }
    expect(await read(desk, await desk.runningVm('plain'))).toEqual(none)
    const vmId = await desk.runningVm('web', { start_script: script })
    const { body: copies } = await desk.fork(vmId)
    await desk.pass(120_000)
    for (const { id } of copies) expect(await read(desk, id)).toEqual(none)
  })

  it('may be settings for cloud-init where the template has it', async ({ desk }) => {
    const start_script = '#cloud-config\npackages: [nginx]\n'
    const { status, body } = await desk.createVm('web', { ...foreign, start_script })
    expect(status).toBe(201)
    expect(await read(desk, body.id)).toMatchObject({ state: 'waiting', script: start_script })
  })

  it.for([
    ['echo hello', {}, texts.form],
    ['#cloud-config\npackages: [nginx]', {}, texts.noCloudInit],
    ['#cloud-config\n- nginx', foreign, texts.notMapping],
    ['#cloud-config\n', foreign, texts.notMapping],
    ['#cloud-config\njust text', foreign, texts.notMapping],
    ['#cloud-config\na: [', foreign, texts.notMapping],
    [`#cloud-config\na: ${'['.repeat(60_000)}`, foreign, texts.notMapping],
  ] as const)(
    'that a guest could not run is refused at its field, and nothing is stored (%#)',
    async ([start_script, more, message], { desk }) => {
      expect(await desk.createVm('web', { ...more, start_script })).toMatchObject(
        refusal(400, message, 'start_script'),
      )
      expect(await desk.vms()).toEqual([])
      expect(await desk.app.db.selectFrom('vm_start_script').selectAll().execute()).toEqual([])
    },
  )

  it('may be as large as 64 kB however it is written in JSON', async ({ desk }) => {
    const large = `#!/bin/sh\n${'\u0001'.repeat(64 * 1024 - 10)}`
    const { status, body } = await desk.createVm('web', { start_script: large })
    expect(status).toBe(201)
    expect((await read(desk, body.id)).script).toBe(large)
  })

  it('stands in no list, event, answer, activity or key but its own table', async ({ desk }) => {
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
    expect(JSON.stringify([told, created.body, await desk.vms()])).not.toContain(secret)
    for (const table of ['vm', 'activity', 'idempotency_key'] as const)
      expect(JSON.stringify(await desk.app.db.selectFrom(table).selectAll().execute())).not.toContain(secret)
  })

  it('goes with its VM', async () => {
    const desk = await deskWith(withoutBin)
    const vmId = await desk.runningVm('web', { start_script: script })
    await desk.done(desk.deleteVm(vmId))
    expect(await desk.app.db.selectFrom('vm_start_script').selectAll().execute()).toEqual([])
  })

  it('is read by people of the project who may operate its VMs, and by nobody else', () => {
    // Each role is tried at each endpoint in two-users.test.ts.
    expect(leastRoles['startScript.get']).toBe('operator')
  })

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

    it('is run by each VM, and stands in no answer', async ({ desk }) => {
      const answer = await create(desk, { start_script: script })
      expect(answer.status).toBe(201)
      expect(JSON.stringify(answer.body)).not.toContain(secret)
      await desk.pass(60_000)
      const members = await desk.vms()
      expect(members).toHaveLength(2)
      for (const { id } of members)
        expect(await read(desk, id)).toMatchObject({ script, state: 'failed', exit_code: 3 })
      // Stored once, however many VMs there are.
      const own = await desk.app.db.selectFrom('vm_start_script').select('script').execute()
      expect(own).toEqual([{ script: null }, { script: null }])
    })

    it('is none where none was given', async ({ desk }) => {
      await create(desk, {})
      await desk.pass(60_000)
      for (const { id } of await desk.vms()) expect(await read(desk, id)).toMatchObject({ state: 'none' })
    })

    it.for([
      [{ start_script: 'echo' }, texts.form],
      [{ start_script: '#cloud-config\na: 1\n' }, texts.noCloudInit],
      [{ start_script: '#cloud-config\n- a\n', ...foreign }, texts.notMapping],
      [{ start_script: script, snapshot_id: 'some' }, groupSnapshotTexts.startScript],
    ] as const)(
      'is refused at its field where no VM could run it (%#)',
      async ([more, message], { desk }) => {
        expect(await create(desk, more)).toMatchObject(refusal(400, message, 'start_script'))
        expect(await desk.app.db.selectFrom('vm_group').selectAll().execute()).toEqual([])
      },
    )
  })
})
