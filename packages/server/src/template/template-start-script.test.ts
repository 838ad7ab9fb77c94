import {
  startScriptApi,
  startScriptTexts,
  templateApi,
  templateBinApi,
  templateTexts,
  vmApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { type Desk, deskWith } from '../desk.test-kit.ts'
import { type GroupDesk, groupDesk } from '../group-desk.test-kit.ts'

const secret = 'hunter2-and-more'
const script = `#!/bin/sh\n# ${secret}\necho Hello\n`
const ofCloudInit = '#cloud-config\npackages: [nginx]\n'
const address = 'https://images.example.org/zig.qcow2'
const valid = {
  name: 'Zig',
  description: 'Compiler',
  default_cpu: 1,
  default_memory_mb: 512,
  image_url: null,
} as const

const admins = { admins: ['person-1@slipway.test'] }
const echo = (word: string) => `#!/bin/sh\necho ${word}\n`
const create = ({ ada }: Desk, more: object = {}) =>
  ada.call(templateApi.create, { body: { ...valid, start_script: script, ...more } })
const update = ({ ada }: Desk, templateId: string, more: object) =>
  ada.call(templateApi.update, { params: { templateId }, body: { ...valid, ...more } })
const read = async ({ ada }: Desk, templateId: string) =>
  (await ada.call(templateApi.startScript, { params: { templateId } })).body
const ofVm = async ({ ada, at }: Desk, vmId: string) =>
  (await ada.call(startScriptApi.get, at('vmId', vmId))).body
const rows = ({ app }: Desk) => app.db.selectFrom('template_start_script').selectAll().execute()
const refusedWith = (message: string) => ({
  status: 400,
  body: { message, fields: { start_script: message } },
})

/** A desk at which there is such a template. */
async function templateDesk() {
  const desk = await groupDesk(admins)
  return { desk, id: (await create(desk)).body.id }
}

describe('the start script of a template', () => {
  it('is stored apart, read by everybody who signs in, and stands in no list, answer, activity or key', async () => {
    const { ada, app } = await deskWith(admins)
    const key = { 'idempotency-key': '01234567-89ab-4cde-8f01-23456789abcd' }
    const body = { ...valid, start_script: script }
    const created = await ada.raw('POST', templateApi.create.path, body, key)
    expect(created).toMatchObject({ status: 201, body: { has_start_script: true } })
    const { id } = created.body as { id: string }
    const bob = await app.signedIn('Bob')
    const ask = { params: { templateId: id } }
    expect(await bob.call(templateApi.startScript, ask)).toMatchObject({ status: 200, body: { script } })
    expect((await app.client().call(templateApi.startScript, ask)).status).toBe(401)
    const lists = [await bob.call(templateApi.list), await ada.call(templateApi.listAll)]
    expect(JSON.stringify([created.body, lists])).not.toContain(secret)
    for (const table of ['template', 'activity', 'idempotency_key'] as const)
      expect(JSON.stringify(await app.db.selectFrom(table).selectAll().execute())).not.toContain(secret)
  })

  it('is none of the built-in ones, nor of one that was given none', async () => {
    const desk = await deskWith(admins)
    for (const start_script of [null, undefined])
      expect(await create(desk, { start_script })).toMatchObject({ body: { has_start_script: false } })
    expect(await read(desk, 'starter')).toEqual({ script: null })
    expect(await rows(desk)).toEqual([])
  })

  it('stays when a change leaves it out, and can be replaced and removed', async () => {
    const { desk, id } = await templateDesk()
    expect((await update(desk, id, { name: 'Zig 2' })).body).toMatchObject({ has_start_script: true })
    expect(await read(desk, id)).toEqual({ script })
    expect((await update(desk, id, { start_script: '#!/bin/sh\n' })).status).toBe(200)
    expect(await read(desk, id)).toEqual({ script: '#!/bin/sh\n' })
    expect((await update(desk, id, { start_script: null })).body).toMatchObject({ has_start_script: false })
    expect(await read(desk, id)).toEqual({ script: null })
    expect((await update(desk, 'starter', { start_script: script })).status).toBe(409)
    expect(await rows(desk)).toEqual([])
  })

  it.each([
    [{ start_script: 'echo hello' }, startScriptTexts.form],
    [{ start_script: ofCloudInit }, templateTexts.scriptWithoutCloudInit],
    [{ start_script: '#cloud-config\n- nginx\n', image_url: address }, startScriptTexts.notMapping],
  ])('400 names the field when no VM could run it, and stores nothing (%#)', async (more, message) => {
    const { desk, id } = await templateDesk()
    expect(await create(desk, more)).toMatchObject(refusedWith(message))
    expect(await update(desk, id, { name: 'Other', ...more })).toMatchObject(refusedWith(message))
    expect(await rows(desk)).toEqual([{ template_id: id, script }])
    const own = await desk.app.db.selectFrom('template').select('name').where('id', '=', id).execute()
    expect(own).toEqual([{ name: 'Zig' }])
  })

  it('may be settings for cloud-init while the image has it: the image cannot be taken from under it', async () => {
    const desk = await deskWith(admins)
    const { status, body } = await create(desk, { image_url: address, start_script: ofCloudInit })
    expect(status).toBe(201)
    expect(await update(desk, body.id, { image_url: null })).toMatchObject(
      refusedWith(templateTexts.scriptWithoutCloudInit),
    )
    expect((await update(desk, body.id, { image_url: null, start_script: null })).status).toBe(200)
  })

  it('may be as large as 64 kB however it is written in JSON', async () => {
    const desk = await deskWith(admins)
    const large = `#!/bin/sh\n${'\u0001'.repeat(64 * 1024 - 10)}`
    const { id } = (await create(desk, { start_script: large })).body
    expect(await read(desk, id)).toEqual({ script: large })
    expect((await update(desk, id, { start_script: large })).status).toBe(200)
  })

  it('stays with a template in the bin, and goes with one that is deleted for good', async () => {
    const { desk, id } = await templateDesk()
    const at = { params: { itemId: id } }
    const remove = (query = '') => desk.ada.raw('DELETE', `/api/admin/templates/${id}${query}`)
    await remove()
    expect((await desk.ada.call(templateApi.startScript, { params: { templateId: id } })).status).toBe(404)
    await desk.ada.call(templateBinApi.restore, at)
    expect(await read(desk, id)).toEqual({ script })
    const { body: listed } = await desk.ada.call(templateApi.list)
    expect(listed.find((one) => one.id === id)).toMatchObject({ has_start_script: true })
    await remove()
    await desk.ada.call(templateBinApi.delete, at)
    expect(await rows(desk)).toEqual([])
    const other = (await create(desk)).body.id
    await desk.ada.raw('DELETE', `/api/admin/templates/${other}?for_good=true`)
    expect(await rows(desk)).toEqual([])
  })

  it('goes with its template where there is no bin', async () => {
    const desk = await deskWith({ ...admins, ...withoutBin })
    const { id } = (await create(desk)).body
    expect((await desk.ada.raw('DELETE', `/api/admin/templates/${id}`)).status).toBe(204)
    expect(await rows(desk)).toEqual([])
  })
})

describe('a VM of a template with a start script', () => {
  it('runs it, and keeps what it has when the template is changed', async () => {
    const { desk, id: template_id } = await templateDesk()
    const vmId = await desk.runningVm('web', { template_id })
    expect(await ofVm(desk, vmId)).toMatchObject({ script, state: 'succeeded', output: 'Hello\n' })
    const waiting = (await desk.createVm('next', { template_id })).body.id
    await update(desk, template_id, { start_script: echo('Other') })
    await desk.pass()
    expect(await ofVm(desk, waiting)).toMatchObject({ script, output: 'Hello\n' })
    expect(await ofVm(desk, await desk.runningVm('last', { template_id }))).toMatchObject({
      output: 'Other\n',
    })
    await update(desk, template_id, { start_script: null })
    expect(await ofVm(desk, await desk.runningVm('none', { template_id }))).toMatchObject({ state: 'none' })
  })

  it('runs its own in place of it, and a copy runs none', async () => {
    const { desk, id: template_id } = await templateDesk()
    const own = echo('Own')
    const vmId = await desk.runningVm('web', { template_id, start_script: own })
    expect(await ofVm(desk, vmId)).toMatchObject({ script: own, output: 'Own\n' })
    const { body: copies } = await desk.ada.call(vmApi.fork, {
      ...desk.at('vmId', vmId),
      body: { name: 'copy' },
    })
    await desk.pass(120_000)
    for (const { id } of copies) expect(await ofVm(desk, id)).toMatchObject({ state: 'none' })
  })

  describe.each([
    ['pool', 'pools', { desired_size: 2 }],
    ['set', 'sets', { replicas: 2 }],
  ] as const)('in a %s', (_, of, size) => {
    const outputs = async (desk: GroupDesk) => {
      const members = (await desk.vms()).filter(({ vmpool_id, vmset_id }) => vmpool_id ?? vmset_id)
      return Promise.all(members.map(async ({ id }) => (await ofVm(desk, id)).output))
    }

    it.each([
      ['runs that of the time when its group was created', {}, 'Hello\n'],
      ['runs that of its group in place of it', { start_script: echo('Own') }, 'Own\n'],
    ])('%s', async (_, more, output) => {
      const { desk, id } = await templateDesk()
      expect((await desk[of].create({ ...size, template_id: id, ...more })).status).toBe(201)
      await update(desk, id, { start_script: echo('Other') })
      await desk.pass(60_000)
      expect(await outputs(desk)).toEqual([output, output])
    })

    it('runs none when it is a copy of a snapshot', async () => {
      const { desk, id } = await templateDesk()
      const snapshot_id = await desk.readyVmSnapshot(await desk.stoppedVm('web', { template_id: id }))
      expect((await desk[of].create({ ...size, template_id: id, snapshot_id })).status).toBe(201)
      await desk.pass(120_000)
      expect(await outputs(desk)).toEqual(['', ''])
      expect(await desk.app.db.selectFrom('vm_group_start_script').selectAll().execute()).toEqual([])
    })
  })
})
