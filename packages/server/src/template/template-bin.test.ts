import {
  BinTemplate,
  binDaysDefault,
  messages,
  templateApi,
  templateBinApi,
  templateTexts,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { type TestAppOptions, withoutBin } from '../app.test-kit.ts'
import { dayMs } from '../bin/bin.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { type Desk, deskWith } from '../desk.test-kit.ts'

const valid = { name: 'Zig', description: 'Compiler', default_cpu: 2, default_memory_mb: 1024 } as const
const address = 'https://images.example.org/zig.qcow2'

async function binDesk(options: TestAppOptions = {}) {
  const desk = await deskWith({ admins: ['person-1@slipway.test'], ...options })
  const { ada, app } = desk
  const at = (itemId: string) => ({ params: { itemId } })
  const bin = {
    made: async (more: object = {}) =>
      (await ada.call(templateApi.create, { body: { ...valid, ...more } })).body.id,
    remove: (id: string, forGood = false) =>
      ada.raw('DELETE', `/api/admin/templates/${id}${forGood ? '?for_good=true' : ''}`),
    list: async () => (await ada.call(templateBinApi.list)).body,
    restore: (id: string) => ada.call(templateBinApi.restore, at(id)),
    drop: (id: string) => ada.call(templateBinApi.delete, at(id)),
    template: async (id: string) =>
      (await ada.call(templateApi.listAll)).body.find((template) => template.id === id),
    rows: () => app.db.selectFrom('template_bin').select('id').execute(),
    entries: async () =>
      (
        await app.db
          .selectFrom('activity')
          .select(['action', 'message', 'reason'])
          .where('object_type', '=', 'template')
          .orderBy('id')
          .execute()
      ).map(({ action, message, reason }) => `${action}: ${message}. ${reason ?? ''}`),
  }
  return { desk, bin }
}

const isOffered = async ({ ada }: Desk, id: string) =>
  (await ada.call(templateApi.list)).body.some((template) => template.id === id)

describe('a template in the bin', () => {
  it('is gone for everybody, and comes back as it was', async () => {
    const { desk, bin } = await binDesk()
    const id = await bin.made({ image_url: 'https://images.example.org/picture.png' })
    const before = await bin.template(id)
    expect((await bin.remove(id)).status).toBe(204)
    expect(await isOffered(desk, id)).toBe(false)
    expect(await bin.template(id)).toBeUndefined()
    expect((await bin.remove(id)).status).toBe(404)
    expect((await desk.createVm('web', { template_id: id })).status).toBe(400)
    const { body: found } = await desk.ada.raw('GET', '/api/search?q=Zig')
    expect(JSON.stringify(found)).not.toContain(id)
    const [item] = await bin.list()
    expect(item).toMatchObject({
      id,
      name: 'Zig',
      default_cpu: 2,
      retired_at: null,
      deleted_by: { name: 'Ada Lovelace' },
    })
    expect(Object.keys(item ?? {}).sort()).toEqual(Object.keys(BinTemplate.shape).sort())
    expect(Date.parse(item?.delete_at ?? '') - Date.parse(item?.deleted_at ?? '')).toBe(
      binDaysDefault * dayMs,
    )
    await desk.app.restart()
    expect(await bin.restore(id)).toMatchObject({ status: 200, body: { id, name: 'Zig' } })
    expect(await bin.template(id)).toEqual(before)
    expect(await isOffered(desk, id)).toBe(true)
    expect(await bin.list()).toEqual([])
  })

  it('comes back retired when it was retired, with the image it had', async () => {
    const { desk, bin } = await binDesk()
    const id = await bin.made()
    const set = { image_url: address, image_id: address }
    await desk.app.db.updateTable('template').set(set).where('id', '=', id).execute()
    await desk.ada.call(templateApi.retire, { params: { templateId: id } })
    await bin.remove(id)
    expect(await bin.list()).toMatchObject([{ id, retired_at: expect.any(String) }])
    await bin.restore(id)
    expect(await isOffered(desk, id)).toBe(false)
    const row = desk.app.db.selectFrom('template').select(['image_url', 'image_id']).where('id', '=', id)
    expect(await row.executeTakeFirst()).toEqual(set)
  })

  it('gives its name free, and gets a number where that is taken', async () => {
    const { bin } = await binDesk()
    const id = await bin.made()
    await bin.remove(id)
    await bin.made()
    expect((await bin.restore(id)).body).toEqual({ id, name: 'Zig-2' })
    expect(await bin.template(id)).toMatchObject({ name: 'Zig-2' })
    expect(await bin.entries()).toEqual(
      expect.arrayContaining([
        'template.delete: Deleted template Zig. It is kept in the bin for 7 days.',
        'templateBin.restore: Restored template Zig from the bin. It is called Zig-2 now: its name is taken.',
      ]),
    )
  })

  it('is deleted for good by hand, at once where that is said, or after seven days', async () => {
    const { desk, bin } = await binDesk()
    const [one, other, last] = [await bin.made(), await bin.made(), await bin.made()]
    await bin.remove(one)
    expect((await bin.drop(one)).status).toBe(204)
    expect((await bin.drop(one)).status).toBe(404)
    expect((await bin.remove(other, true)).status).toBe(204)
    expect(await bin.rows()).toEqual([])
    await bin.remove(last)
    await desk.pass(2 * 60 * 60_000)
    expect(await bin.rows()).toEqual([{ id: last }])
    const past = (ms: number) => new Date(desk.app.clock.now() - ms).toISOString()
    const times = { deleted_at: past(7 * dayMs), delete_at: past(0) }
    await desk.app.db.updateTable('template_bin').set(times).execute()
    await desk.pass(2 * 60 * 60_000)
    expect(await bin.rows()).toEqual([])
    expect((await bin.entries()).at(-1)).toBe(
      'templateBin.over: Template Zig was deleted for good. It was in the bin for 7 days.',
    )
  })

  it('is not kept with the bin off', async () => {
    const { bin } = await binDesk(withoutBin)
    await bin.remove(await bin.made())
    expect(await bin.rows()).toEqual([])
  })

  it('is there or in the bin and never both or neither, whoever asks how often', async () => {
    const { desk, bin } = await binDesk()
    const id = await bin.made()
    const undo = await refuse(desk.app.db, 'insert', 'template_bin')
    expect((await bin.remove(id)).status).toBe(500)
    await undo()
    expect(await bin.template(id)).toBeDefined()
    await bin.remove(id)
    const answers = await Promise.all([bin.restore(id), bin.restore(id), bin.drop(id)])
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(2)
    expect(await bin.rows()).toEqual([])
  })

  it('is for administrators', async () => {
    const { desk, bin } = await binDesk()
    const bob = await desk.app.signedIn('Bob')
    const refused = { status: 403, body: { message: templateTexts.adminOnly } }
    expect(await bob.call(templateBinApi.list)).toMatchObject(refused)
    expect(await bin.restore('none')).toMatchObject({
      status: 404,
      body: { message: messages.binItemNotFound },
    })
  })

  it('stays when the account of who deleted it is gone', async () => {
    const { desk, bin } = await binDesk()
    await bin.remove(await bin.made())
    await desk.app.db.updateTable('template_bin').set({ deleted_by: null }).execute()
    expect(await bin.list()).toMatchObject([{ deleted_by: null }])
  })
})
