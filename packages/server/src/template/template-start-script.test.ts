import {
  fillPath,
  startScriptApi,
  startScriptTexts,
  templateApi,
  templateBinApi,
  templateTexts,
  vmApi,
  vmPoolApi,
  vmSetApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'

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
const create = ({ ada }: Desk, more: object = {}) =>
  ada.call(templateApi.create, { body: { ...valid, start_script: script, ...more } })
const update = ({ ada }: Desk, templateId: string, more: object) =>
  ada.call(templateApi.update, { params: { templateId }, body: { ...valid, ...more } })
const read = async ({ ada }: Desk, templateId: string) =>
  (await ada.call(templateApi.startScript, { params: { templateId } })).body
const ofVm = async ({ ada, params }: Desk, vmId: string) =>
  (await ada.call(startScriptApi.get, { params: { ...params, vmId } })).body
const rows = ({ app }: Desk) => app.db.selectFrom('template_start_script').selectAll().execute()
const refusedWith = (message: string) => ({
  status: 400,
  body: { message, fields: { start_script: message } },
})

describe('the start script of a template', () => {
  it(
    'is stored apart, read by everybody who signs in, and stands in no list, answer, activity or key',
    atDesk(async (desk) => {
      const { ada, app } = desk
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
    }, admins),
  )

  it(
    'is none of the built-in ones, nor of one that was given none',
    atDesk(async (desk) => {
      for (const start_script of [null, undefined])
        expect(await create(desk, { start_script })).toMatchObject({ body: { has_start_script: false } })
      expect(await read(desk, 'starter')).toEqual({ script: null })
      expect(await desk.ada.call(templateApi.startScript, { params: { templateId: 'no' } })).toMatchObject({
        status: 404,
        body: { message: templateTexts.notFound },
      })
      expect(await rows(desk)).toEqual([])
    }, admins),
  )

  it(
    'stays when a change leaves it out, and can be replaced and removed',
    atDesk(async (desk) => {
      const { id } = (await create(desk)).body
      expect((await update(desk, id, { name: 'Zig 2' })).body).toMatchObject({ has_start_script: true })
      expect(await read(desk, id)).toEqual({ script })
      expect((await update(desk, id, { start_script: '#!/bin/sh\n' })).status).toBe(200)
      expect(await read(desk, id)).toEqual({ script: '#!/bin/sh\n' })
      expect((await update(desk, id, { start_script: null })).body).toMatchObject({ has_start_script: false })
      expect(await read(desk, id)).toEqual({ script: null })
      expect((await update(desk, 'starter', { start_script: script })).status).toBe(409)
      expect(await rows(desk)).toEqual([])
    }, admins),
  )

  it.each([
    [{ start_script: 'echo hello' }, startScriptTexts.form],
    [{ start_script: '' }, startScriptTexts.form],
    [{ start_script: 7 }, startScriptTexts.form],
    [{ start_script: `#!/bin/sh\n${'x'.repeat(64 * 1024)}` }, startScriptTexts.tooLarge],
    [{ start_script: '#!/bin/sh\n\0' }, startScriptTexts.nullCharacter],
    [{ start_script: '#!/bin/sh\r\n' }, startScriptTexts.lineEnds],
    [{ start_script: ofCloudInit }, templateTexts.scriptWithoutCloudInit],
    [{ start_script: '#cloud-config\n- nginx\n', image_url: address }, startScriptTexts.notMapping],
  ])('400 names the field when no VM could run it, and stores nothing (%#)', (more, message) =>
    atDesk(async (desk) => {
      const { id } = (await create(desk)).body
      expect(await create(desk, more)).toMatchObject(refusedWith(message))
      expect(await update(desk, id, { name: 'Other', ...more })).toMatchObject(refusedWith(message))
      expect(await rows(desk)).toEqual([{ template_id: id, script }])
      const own = await desk.app.db.selectFrom('template').select('name').where('id', '=', id).execute()
      expect(own).toEqual([{ name: 'Zig' }])
    }, admins)(),
  )

  it(
    'may be settings for cloud-init while the image has it: the image cannot be taken from under it',
    atDesk(async (desk) => {
      const { status, body } = await create(desk, { image_url: address, start_script: ofCloudInit })
      expect(status).toBe(201)
      expect(await update(desk, body.id, { image_url: null })).toMatchObject(
        refusedWith(templateTexts.scriptWithoutCloudInit),
      )
      expect((await update(desk, body.id, { image_url: null, start_script: null })).status).toBe(200)
    }, admins),
  )

  it(
    'may be as large as 64 kB however it is written in JSON',
    atDesk(async (desk) => {
      const large = `#!/bin/sh\n${'\u0001'.repeat(64 * 1024 - 10)}`
      const { id } = (await create(desk, { start_script: large })).body
      expect(await read(desk, id)).toEqual({ script: large })
      expect((await update(desk, id, { start_script: large })).status).toBe(200)
    }, admins),
  )

  it(
    'stays with a template in the bin, and goes with one that is deleted for good',
    atDesk(async (desk) => {
      const { id } = (await create(desk)).body
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
    }, admins),
  )

  it(
    'goes with its template where there is no bin',
    atDesk(
      async (desk) => {
        const { id } = (await create(desk)).body
        expect((await desk.ada.raw('DELETE', `/api/admin/templates/${id}`)).status).toBe(204)
        expect(await rows(desk)).toEqual([])
      },
      { ...admins, ...withoutBin },
    ),
  )
})

describe('a VM of a template with a start script', () => {
  it(
    'runs it, and keeps what it has when the template is changed',
    atDesk(async (desk) => {
      const template_id = (await create(desk)).body.id
      const vmId = await desk.runningVm('web', { template_id })
      expect(await ofVm(desk, vmId)).toMatchObject({ script, state: 'succeeded', output: 'Hello\n' })
      const waiting = (await desk.createVm('next', { template_id })).body.id
      await update(desk, template_id, { start_script: '#!/bin/sh\necho Other\n' })
      await desk.pass()
      expect(await ofVm(desk, waiting)).toMatchObject({ script, output: 'Hello\n' })
      expect(await ofVm(desk, await desk.runningVm('last', { template_id }))).toMatchObject({
        output: 'Other\n',
      })
      await update(desk, template_id, { start_script: null })
      expect(await ofVm(desk, await desk.runningVm('none', { template_id }))).toMatchObject({ state: 'none' })
    }, admins),
  )

  it(
    'runs its own in place of it, and a copy runs none',
    atDesk(async (desk) => {
      const template_id = (await create(desk)).body.id
      const own = '#!/bin/sh\necho Own\n'
      const vmId = await desk.runningVm('web', { template_id, start_script: own })
      expect(await ofVm(desk, vmId)).toMatchObject({ script: own, output: 'Own\n' })
      const of = { params: { ...desk.params, vmId }, body: { name: 'copy' } }
      const { body: copies } = await desk.ada.call(vmApi.fork, of)
      await desk.pass(120_000)
      for (const { id } of copies) expect(await ofVm(desk, id)).toMatchObject({ state: 'none' })
    }, admins),
  )

  describe.each([
    ['pool', vmPoolApi, { min_size: 1, desired_size: 2, max_size: 3 }],
    ['set', vmSetApi, { replicas: 2 }],
  ] as const)('in a %s', (_, api, sizes) => {
    const group = (desk: Desk, template_id: string, more: object = {}) =>
      desk.ada.raw('POST', fillPath(api.create.path, desk.params), {
        ...{ name: 'crew', template_id, ssh_key_id: desk.keyId, ...sizes },
        ...more,
      })
    const outputs = async (desk: Desk) => {
      const { body } = await desk.ada.call(vmApi.list, { params: desk.params })
      const crew = body.filter(({ name }) => name.startsWith('crew'))
      return Promise.all(crew.map(async ({ id }) => (await ofVm(desk, id)).output))
    }

    it(
      'runs that of the time when its group was created',
      atDesk(async (desk) => {
        const { id } = (await create(desk)).body
        expect((await group(desk, id)).status).toBe(201)
        await update(desk, id, { start_script: '#!/bin/sh\necho Other\n' })
        await desk.pass(60_000)
        expect(await outputs(desk)).toEqual(['Hello\n', 'Hello\n'])
      }, admins),
    )

    it(
      'runs that of its group in place of it',
      atDesk(async (desk) => {
        const { id } = (await create(desk)).body
        await group(desk, id, { start_script: '#!/bin/sh\necho Own\n' })
        await desk.pass(60_000)
        expect(await outputs(desk)).toEqual(['Own\n', 'Own\n'])
      }, admins),
    )

    it(
      'runs none when it is a copy of a snapshot',
      atDesk(async (desk) => {
        const { id } = (await create(desk)).body
        const snapshot_id = await desk.readyVmSnapshot(await desk.stoppedVm('web', { template_id: id }))
        expect((await group(desk, id, { snapshot_id })).status).toBe(201)
        await desk.pass(120_000)
        expect(await outputs(desk)).toEqual(['', ''])
        expect(await desk.app.db.selectFrom('vm_group_start_script').selectAll().execute()).toEqual([])
      }, admins),
    )
  })
})
