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
import { EngineError } from '../engine/engine.ts'

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
const list = async (person = ada) => (await person.call(templateApi.list)).body

/** A VM of a template in a project of its own, some time after it was asked for. */
async function vmOf(template_id: string, person = ada) {
  const { body: project } = await person.call(projectApi.create, { body: { name: 'p' } })
  const { body: key } = await person.call(sshKeyApi.create, {
    body: { key_name: 'laptop', ssh_public_key: newPublicKey() },
  })
  const params = { projectId: project.id }
  const wish = { name: 'v', template_id, ssh_key_id: key.id }
  const { body: vm } = await person.call(vmApi.create, { params, body: wish })
  await app.clock.advance(10_000)
  return (await person.call(vmApi.get, { params: { ...params, vmId: vm.id } })).body
}

describe('the template catalogue', () => {
  it('200 is a bare array of templates with exactly the fields of the contract', async () => {
    const { status, body } = await ada.call(templateApi.list)
    expect(status).toBe(200)
    for (const template of body) {
      expect(Object.keys(template).sort()).toEqual(Object.keys(Template.shape).sort())
    }
    expect(body[0]).toMatchObject({ id: 'starter', image_url: null, image: { state: 'ready' } })
  })

  it('begins with a small Linux and a whole one, then has the eight of the landing page', async () => {
    expect((await list()).map(({ name }) => name)).toEqual([
      ...['Starter Linux', 'Debian 13', 'Node.js with React', 'Python with Django', 'Rust', 'Go', 'Next.js'],
      ...['Laravel with PHP', 'Docker with Kubernetes tools', 'Ubuntu LTS'],
    ])
  })

  it('201 adds a template to the end of the list of every user', async () => {
    await app.clock.advance(1_000)
    const image_url = 'https://example.org/rust.png'
    const { status, body } = await create({ ...valid, image_url })
    expect(status).toBe(201)
    expect(body).toEqual({
      ...valid,
      image_url,
      id: expect.any(String),
      created_at: expect.any(String),
      // A picture: its VMs boot the built-in image.
      image: { state: 'ready', progress: null, message: null, root_disk_gb: 20 },
      has_start_script: false,
    })
    expect((await list(bob)).at(-1)).toEqual(body)
  })

  it('gives its CPU and memory to a VM made from a new template at once', async () => {
    const { body: template } = await create(valid)
    const body = await vmOf(template.id, bob)
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

  it('keeps the address of its picture as it is', async () => {
    const image_url = 'HTTPS://EXAMPLE.org/rust.iso/picture?size=2#top'
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
    ['image_url', 'too long', `https://example.org/${'x'.repeat(2048)}`, templateTexts.invalidImageUrl],
    ['image_url', 'a number', 42, templateTexts.invalidImageUrl],
    ['image_url', 'pinned wrongly', 'https://example.org/a.img#md5=00', templateTexts.invalidChecksum],
    [
      'image_url',
      'pinned to half a sum',
      'https://example.org/a.img#sha256=00',
      templateTexts.invalidChecksum,
    ],
  ])('400 for a %s that is %s', async (field, _, value, message) => {
    expect(await create({ ...valid, [field]: value })).toMatchObject({
      status: 400,
      body: { message, fields: { [field]: message } },
    })
  })

  it('is refused with the first broken rule in the order of the form, and with all of them by field', async () => {
    const wrong = { name: '', description: '', default_cpu: 0, default_memory_mb: 0, image_url: 'picture' }
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

describe('a template with a boot image', () => {
  const pinned = `#sha256=${'0f'.repeat(32)}`
  const imageOf = async (id: string) => (await list()).find((template) => template.id === id)?.image

  it.each(['disk.qcow2', `disk.img${pinned}`])(
    'gives its VMs what is at an address that ends like %s, fetched from the moment it is saved',
    async (file) => {
      const image_url = `https://images.example.org/${newPublicKey().slice(-9, -3)}/${file}`
      const { status, body } = await create({ ...valid, image_url })
      expect(status).toBe(201)
      expect(body.image).toEqual({
        state: 'coming',
        progress: 0,
        root_disk_gb: null,
        message: 'Downloading the image from images.example.org.',
      })
      await app.clock.advance(10_000)
      const ready = { state: 'ready', progress: null, message: null, root_disk_gb: 20 }
      expect(await imageOf(body.id)).toEqual(ready)
    },
  )

  it('400 names the field and what is wrong with the address, and saves nothing', async () => {
    const before = await list()
    const answer = await create({ ...valid, image_url: 'https://example.org/fault-look.img' })
    const message = 'There is no file at this URL: the server responded with 404 (simulated).'
    expect(answer).toMatchObject({ status: 400, body: { message, fields: { image_url: message } } })
    expect(await list()).toEqual(before)
  })

  it('tells why its image failed, to waiting VMs as well, and tries again when asked', async () => {
    const { body } = await create({ ...valid, image_url: 'https://example.org/fault-refused.qcow2' })
    await app.clock.advance(10_000)
    const reason = 'The image refers to another file, so it was refused (simulated).'
    const failed = { state: 'failed', progress: null, message: reason, root_disk_gb: null }
    expect(await imageOf(body.id)).toEqual(failed)
    expect(await vmOf(body.id)).toMatchObject({
      status: 'failed',
      status_message: expect.stringContaining(reason),
    })
    const again = await bob.call(templateApi.prepare, { params: { templateId: body.id } })
    expect(again).toMatchObject({ status: 202, body: { id: body.id, image: { state: 'coming' } } })
  })
})

describe('what an image URL would boot', () => {
  const check = (image_url: unknown, person = ada) =>
    person.call(templateApi.checkImage, { body: { image_url } as never })

  it.each([null, '', 'https://example.org/picture.png'])('is the built-in image for %j', async (url) => {
    expect(await check(url)).toMatchObject({
      status: 200,
      body: { boots: 'built-in', format: null, download_bytes: null, disk_bytes: null },
    })
  })

  it('is what stands at the address of a boot image', async () => {
    expect(await check('https://example.org/disk.raw')).toMatchObject({
      status: 200,
      body: { boots: 'address', format: 'raw', download_bytes: 612 * 1024 ** 2, disk_bytes: 3.5 * 1024 ** 3 },
    })
  })

  it.each(['ftp://example.org/disk.img', 7, 'https://example.org/fault-look.img'])(
    '400 for %j',
    async (url) => {
      expect(await check(url)).toMatchObject({
        status: 400,
        body: { fields: { image_url: expect.any(String) } },
      })
    },
  )
})

describe('where administrators are named', () => {
  it('403 for everybody else, and nothing changes', async () => {
    const guarded = await testApp({ admins: ['person-1@slipway.test'] })
    const admin = await guarded.signedIn()
    const other = await guarded.signedIn()
    const before = await list(admin)
    expect(await create(valid, other)).toMatchObject({
      status: 403,
      body: { message: 'Admin access required' },
    })
    expect(await list(other)).toEqual(before)
    expect((await create(valid, admin)).status).toBe(201)
    // Addresses are asked for in the name of the server, so that is theirs as well.
    const check = { body: { image_url: null } }
    expect((await other.call(templateApi.checkImage, check)).status).toBe(403)
    expect((await admin.call(templateApi.checkImage, check)).status).toBe(200)
  })
})

it('while the engine cannot be reached, calls answer 503 with its sentence; other failures of it are 500', async () => {
  const { lookAtImage } = app.engine
  const sentence = 'The simulated engine cannot be reached. Try again in a moment.'
  const failing = async (retryable: boolean) => {
    app.engine.lookAtImage = () => Promise.reject(new EngineError('internal', sentence, { retryable }))
    return ada.raw('GET', '/api/templates')
  }
  expect(await failing(true)).toMatchObject({ status: 503, body: { message: sentence } })
  expect(await failing(false)).toMatchObject({ status: 500, body: {} })
  app.engine.lookAtImage = lookAtImage
})
