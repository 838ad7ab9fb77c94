import {
  projectApi,
  sshKeyApi,
  Template,
  templateApi,
  templateCpuOptions,
  templateMemoryOptionsMb,
  templateTexts,
  vmApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { newPublicKey, testApp } from '../app.test-kit.ts'

const app = await testApp()
const ada = await app.signedIn()
const bob = await app.signedIn('Bob')

const valid = {
  name: 'Rust',
  description: 'Compiler and cargo',
  default_cpu: 4,
  default_memory_mb: 2048,
}
const create = (body: unknown, person = ada) => person.call(templateApi.create, { body })

describe('the template catalogue', () => {
  it('200 is a bare array of templates with exactly the fields of the contract', async () => {
    const { status, body } = await ada.call(templateApi.list)
    expect(status).toBe(200)
    expect(body).toHaveLength(1)
    expect(Object.keys(body[0] ?? {}).sort()).toEqual(Object.keys(Template.shape).sort())
    expect(body[0]).toMatchObject({ id: 'starter', image_url: null })
  })

  it('201 adds a template to the end of the list of every user', async () => {
    await app.clock.advance(1_000)
    const image_url = 'https://example.org/rust.png'
    const { status, body } = await create({ ...valid, image_url })
    expect(status).toBe(201)
    expect(body).toEqual({ ...valid, image_url, id: expect.any(String), created_at: expect.any(String) })
    expect((await bob.call(templateApi.list)).body.at(-1)).toEqual(body)
  })

  it('gives its CPU and memory to a VM made from a new template at once', async () => {
    const { body: template } = await create(valid)
    const { body: project } = await bob.call(projectApi.create, { body: { name: 'p' } })
    const { body: key } = await bob.call(sshKeyApi.create, {
      body: { key_name: 'laptop', ssh_public_key: newPublicKey() },
    })
    const params = { projectId: project.id }
    const { body: vm } = await bob.call(vmApi.create, {
      params,
      body: { name: 'v', template_id: template.id, ssh_key_id: key.id },
    })
    await app.clock.advance(10_000)
    const { body } = await bob.call(vmApi.get, { params: { ...params, vmId: vm.id } })
    expect(body).toMatchObject({ status: 'running', template_name: 'Rust', cpu: 4, memory_mb: 2048 })
  })
})

describe('a new template', () => {
  it.each(templateCpuOptions)('may have %i as its CPU count', async (default_cpu) => {
    expect((await create({ ...valid, default_cpu })).body.default_cpu).toBe(default_cpu)
  })

  it.each(templateMemoryOptionsMb)('may have %i MB of memory', async (default_memory_mb) => {
    expect((await create({ ...valid, default_memory_mb })).body.default_memory_mb).toBe(default_memory_mb)
  })

  it.each([undefined, null, '', '  '])('has no picture when the image URL is %j', async (image_url) => {
    expect(await create({ ...valid, image_url })).toMatchObject({ status: 201, body: { image_url: null } })
  })

  it.each([
    'http://example.org/rust',
    'HTTPS://EXAMPLE.org/rust.svg?size=2#top',
    'https://example.org/rust.png?from=disk.iso',
    'https://example.org/rust.iso/picture',
  ])('takes %s as its picture', async (image_url) => {
    expect(await create({ ...valid, image_url })).toMatchObject({ status: 201, body: { image_url } })
  })

  it.each([
    ['name', 'missing', undefined, templateTexts.nameMissing],
    ['name', 'blank', '  ', templateTexts.nameMissing],
    ['name', 'a number', 7, templateTexts.nameMissing],
    ['name', 'too long', 'x'.repeat(101), 'Use at most 100 characters for the name'],
    ['name', 'two lines', 'a\nb', 'Use a name without control characters'],
    ['description', 'missing', undefined, templateTexts.descriptionMissing],
    ['description', 'blank', ' ', templateTexts.descriptionMissing],
    ['description', 'too long', 'x'.repeat(1001), 'Use at most 1000 characters for the description'],
    ['default_cpu', 'missing', undefined, templateTexts.invalidCpu],
    ['default_cpu', 'not on the list', 3, templateTexts.invalidCpu],
    ['default_cpu', 'a text', '4', templateTexts.invalidCpu],
    ['default_memory_mb', 'missing', undefined, templateTexts.invalidMemory],
    ['default_memory_mb', 'not on the list', 1000, templateTexts.invalidMemory],
    ['default_memory_mb', 'a text', '2048', templateTexts.invalidMemory],
    ['image_url', 'without a host', 'https://', templateTexts.invalidImageUrl],
    ['image_url', 'relative', 'rust.png', templateTexts.invalidImageUrl],
    ['image_url', 'not on the web', 'ftp://example.org/rust.png', templateTexts.invalidImageUrl],
    ['image_url', 'a script', 'javascript:alert(1)', templateTexts.invalidImageUrl],
    ['image_url', 'too long', `https://example.org/${'x'.repeat(2048)}`, templateTexts.invalidImageUrl],
    ['image_url', 'a number', 42, templateTexts.invalidImageUrl],
  ])('400 for a %s that is %s', async (field, _, value, message) => {
    expect(await create({ ...valid, [field]: value })).toMatchObject({
      status: 400,
      body: { message, fields: { [field]: message } },
    })
  })

  it.each(['qcow2', 'img', 'raw', 'iso', 'QCOW2', 'iso?sum=1', 'img#top'])(
    '400 for a boot image that ends in .%s, because nothing would boot it',
    async (ending) => {
      expect(await create({ ...valid, image_url: `https://example.org/disk.${ending}` })).toMatchObject({
        status: 400,
        body: { message: templateTexts.bootImage },
      })
    },
  )

  it('is refused with the first broken rule in the order of the form, and with all of them by field', async () => {
    const wrong = {
      name: '',
      description: '',
      default_cpu: 0,
      default_memory_mb: 0,
      image_url: 'picture',
    }
    const texts = {
      name: 'Please enter a template name',
      description: 'Please enter a template description',
      default_cpu: 'Please select a valid CPU count',
      default_memory_mb: 'Please select a valid memory size',
      image_url: 'Please enter a valid image URL',
    }
    let body: object = wrong
    for (const [field, message] of Object.entries(texts)) {
      expect(await create(body)).toMatchObject({ status: 400, body: { message } })
      body = { ...body, [field]: { ...valid, image_url: null }[field as keyof typeof wrong] }
    }
    expect((await create(wrong)).body).toMatchObject({ fields: texts })
    expect((await create(body)).status).toBe(201)
  })
})

describe('where administrators are named', () => {
  it('403 for everybody else, and nothing changes', async () => {
    const guarded = await testApp({ admins: ['person-1@slipway.test'] })
    const admin = await guarded.signedIn()
    const other = await guarded.signedIn()
    const before = (await admin.call(templateApi.list)).body
    expect(await create(valid, other)).toMatchObject({
      status: 403,
      body: { message: 'Admin access required' },
    })
    expect((await other.call(templateApi.list)).body).toEqual(before)
    expect((await create(valid, admin)).status).toBe(201)
  })
})
