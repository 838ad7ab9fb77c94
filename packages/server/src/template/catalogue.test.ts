import { CatalogueTemplate, templateApi, templateTexts, vmPoolApi, vmTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'
import { openDeskAt } from '../desk.test-kit.ts'

const app = await testApp({ admins: ['person-1@slipway.test'] })
/** Of an administrator. */
const desk = await openDeskAt(app, (ms) => app.clock.advance(ms))
const { ada } = desk
const bob = await app.signedIn('Bob')

const valid = { name: 'Rust', description: 'Compiler', default_cpu: 2, default_memory_mb: 1024 } as const
const made = async () => (await ada.call(templateApi.create, { body: valid })).body.id
const at = (templateId: string) => ({ params: { templateId } })
const act = (what: 'retire' | 'offer' | 'delete', id: string) => ada.call(templateApi[what], at(id))
const update = (id: string, body: object) =>
  ada.call(templateApi.update, { ...at(id), body: { ...valid, ...body } })
const all = async () => (await ada.call(templateApi.listAll)).body
const one = async (id: string) => (await all()).find((template) => template.id === id)
const isOffered = async (id: string) =>
  (await bob.call(templateApi.list)).body.some((template) => template.id === id)
const createVm = (template_id: string) => desk.createVm('web', { template_id })

describe('the catalogue as administrators see it', () => {
  it('has all templates with what uses them, and exactly the fields of the contract', async () => {
    const id = await made()
    await createVm(id)
    expect(await one('starter')).toMatchObject({ built_in: true, retired_at: null, vms: 0, groups: 0 })
    expect(await one(id)).toMatchObject({ built_in: false, vms: 1, groups: 0 })
    for (const template of await all())
      expect(Object.keys(template).sort()).toEqual(Object.keys(CatalogueTemplate.shape).sort())
  })

  it('403 for everybody else, 404 for what is not there', async () => {
    expect(await bob.call(templateApi.listAll)).toMatchObject({
      status: 403,
      body: { message: templateTexts.adminOnly },
    })
    const missing = { status: 404, body: { message: templateTexts.notFound } }
    for (const what of ['retire', 'offer', 'delete'] as const)
      expect(await act(what, 'none')).toMatchObject(missing)
    expect(await update('none', {})).toMatchObject(missing)
  })
})

describe('a template that is retired', () => {
  it('is not offered any more, its VMs go on, and it can be offered again', async () => {
    const id = await made()
    const { body: vm } = await createVm(id)
    expect((await act('retire', id)).status).toBe(200)
    expect(await isOffered(id)).toBe(false)
    expect(await one(id)).toMatchObject({ retired_at: expect.any(String), vms: 1 })
    expect(await createVm(id)).toMatchObject({ status: 400, body: { message: vmTexts.templateMissing } })
    await desk.pass()
    expect(await desk.vm(vm.id)).toMatchObject({ status: 'running' })
    expect(await act('retire', id)).toMatchObject({
      status: 409,
      body: { message: templateTexts.alreadyRetired },
    })
    await act('offer', id)
    expect(await isOffered(id)).toBe(true)
    expect(await act('offer', id)).toMatchObject({
      status: 409,
      body: { message: templateTexts.alreadyOffered },
    })
  })

  it('stays so over a restart, also when it is built in', async () => {
    await act('retire', 'starter')
    await app.restart()
    expect(await isOffered('starter')).toBe(false)
    await act('offer', 'starter')
  })
})

describe('a template that is changed', () => {
  it('is another one for what is created from then on', async () => {
    const id = await made()
    const { body: before } = await createVm(id)
    expect((await update(id, { name: 'Rust 2', default_cpu: 4 })).body).toMatchObject({ name: 'Rust 2' })
    expect((await createVm(id)).body).toMatchObject({ template_name: 'Rust 2', cpu: 4 })
    expect(await desk.vm(before.id)).toMatchObject({ template_name: 'Rust', cpu: 2 })
    expect((await update(id, { default_cpu: 3 })).status).toBe(400)
  })
})

describe('a template that is deleted', () => {
  it('409 while anything uses it, which the sentence names, then it is gone', async () => {
    const id = await made()
    const { body: vm } = await createVm(id)
    const wish = { name: 'web', template_id: id, ssh_key_id: desk.keyId }
    const { body: pool } = await ada.call(vmPoolApi.create, { params: desk.params, body: wish })
    expect(await act('delete', id)).toMatchObject({
      status: 409,
      body: {
        message: expect.stringMatching(/^This template is used by \d VMs? and 1 pool or set\. Retire it/),
      },
    })
    await ada.call(vmPoolApi.delete, desk.at('poolId', pool.id))
    expect(await act('delete', id)).toMatchObject({
      status: 409,
      body: { message: 'This template is used by 1 VM. Retire it instead.' },
    })
    await desk.deleteVm(vm.id)
    expect((await act('delete', id)).status).toBe(204)
    expect(await one(id)).toBeUndefined()
  })

  it('409 for one that is built in, which cannot be changed either', async () => {
    const builtIn = { status: 409, body: { message: templateTexts.builtIn } }
    expect(await act('delete', 'starter')).toMatchObject(builtIn)
    expect(await update('starter', {})).toMatchObject(builtIn)
  })
})
