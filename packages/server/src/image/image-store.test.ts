import { chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { directoryForEach } from '../lib/directory.test-kit.ts'
import { silentLog } from '../lib/log.ts'
import type { BuildWork, BuiltImage, LowerImage } from './builder.ts'
import { type ImageStore, type ImageStoreOptions, makeImageStore, type Prover } from './image-store.ts'
import { ImportError } from './import-error.ts'
import type { Recipe } from './recipe.ts'

const mebibyte = 1024 ** 2
const address = 'https://images.example.org/disk.qcow2'
const at = directoryForEach()
let recipes: Recipe[]
/** How far the clock is ahead of the files. */
let aheadMs: number
let isOnline: boolean
let used: Set<string>
let built: string[]
/** A build goes on when it is over. */
let pause: () => Promise<unknown>

beforeEach(async () => {
  aheadMs = 0
  isOnline = false
  used = new Set()
  built = []
  pause = () => new Promise((resolve) => setTimeout(resolve, 20))
  const layers = ['go', 'rust'].map((id) => recipe(id, 'base'))
  recipes = await Promise.all([recipe('starter'), recipe('base'), ...layers])
})

async function recipe(id: string, lower?: string): Promise<Recipe> {
  const own = at('recipes', id)
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'recipe.json'), id)
  const common = { id, dir: own, name: id.toUpperCase(), revision: 1, place: 1, template: null, packages: [] }
  if (lower) return { ...common, kind: 'layer', extends: lower, npm: [] }
  const debian = { suite: 'trixie', kernelPackage: 'linux', bootModules: [], rootSizeMb: 1, cmdline: 'quiet' }
  return { ...common, kind: 'debian', ...debian }
}

/** Leaves files of half a megabyte, as builders do. */
async function build({ id }: Recipe, lower: LowerImage | null, work: BuildWork): Promise<BuiltImage> {
  built.push(id)
  expect(await readdir(work.workDir)).toEqual([])
  work.onProgress(0.4)
  await pause()
  work.signal.throwIfAborted()
  const write = async (name: string) => {
    const path = join(work.workDir, name)
    await writeFile(path, Buffer.alloc(mebibyte / 2, `${id} ${name} ${lower?.disk.slice(-64)}`))
    return path
  }
  if (lower) return { disk: await write('disk'), sources: [] }
  return {
    disk: await write('disk'),
    kernel: await write('kernel'),
    initrd: await write('initrd'),
    tree: await write('tree'),
    cmdline: 'quiet',
    sources: ['linux=1'],
  }
}

const buildOnline: typeof build = (...args) =>
  isOnline ? build(...args) : Promise.reject(new Error('no network'))

const store = (options: Partial<ImageStoreOptions> = {}): ImageStore =>
  makeImageStore({
    dir: at('images'),
    log: silentLog,
    recipes,
    build,
    rootBytes: 20 * mebibyte,
    inUse: async () => used,
    budgetBytes: 100 * mebibyte,
    now: () => Date.now() + aheadMs,
    ...options,
  })
const filesThere = async () => (await readdir(at('images', 'files'))).length
const workLeft = async () => (await readdir(at('images'))).filter((name) => name.startsWith('work-'))

describe('an image', () => {
  it('is made once however many ask for it, tells how far that is, and is kept', async () => {
    const images = store()
    expect(await images.look('base')).toEqual({ state: 'absent' })
    const seen = Promise.withResolvers<void>()
    pause = () => seen.promise
    const asked = [images.use('base'), images.use('base'), images.ensure('base')]
    await vi.waitFor(async () =>
      expect(await images.look('base')).toEqual({
        state: 'coming',
        progress: 0.4,
        what: 'Building the BASE image',
      }),
    )
    seen.resolve()
    const [one, other] = await Promise.all(asked)
    expect(one).toEqual(other)
    expect(built).toEqual(['base'])
    expect(one).toMatchObject({ cmdline: 'quiet', rootBytes: 20 * mebibyte })
    expect(await workLeft()).toEqual([])
    const later = store()
    expect(await later.look('base')).toEqual({ state: 'ready' })
    expect(await later.use('base')).toEqual(one)
    expect(built).toEqual(['base'])
  })

  it('stands on the one its recipe extends, which is made first and once', async () => {
    const images = store()
    const [go, rust] = await Promise.all([images.use('go'), images.use('rust')])
    const base = await images.use('base')
    expect(built.sort()).toEqual(['base', 'go', 'rust'])
    const { disk: lower, kernel, initrd } = base
    for (const layer of [go, rust]) {
      expect(layer).toMatchObject({ lower, kernel, initrd, cmdline: 'quiet' })
      expect(layer.disk).not.toBe(base.disk)
    }
  })

  it('tells of the image below while that is being made', async () => {
    const images = store()
    const seen = Promise.withResolvers<void>()
    pause = () => seen.promise
    const asked = images.use('go')
    const below = { what: 'Building the BASE image' }
    await vi.waitFor(async () => expect(await images.look('go')).toMatchObject(below))
    seen.resolve()
    await asked
    expect(await images.look('go')).toEqual({ state: 'ready' })
  })

  it('is made anew when its recipe or that of the image below has changed', async () => {
    await store().use('go')
    await writeFile(at('recipes', 'base', 'check.sh'), 'true')
    const changed = store()
    expect(await changed.look('go')).toEqual({ state: 'absent' })
    expect(await changed.look('base')).toEqual({ state: 'absent' })
    await changed.use('go')
    expect(built).toEqual(['base', 'go', 'base', 'go'])
  })

  it('is found damaged on use and made again, also by a process that had not read it', async () => {
    const { disk } = await store().use('base')
    await chmod(disk, 0o644)
    await writeFile(disk, 'x', { flag: 'r+' })
    const images = store()
    expect(await images.look('base')).toEqual({ state: 'ready' })
    await images.verify('base', await images.use('base'))
    expect(built).toEqual(['base', 'base'])
    expect((await readFile(disk)).subarray(0, 4).toString()).toBe('base')
  })

  it('of an address is fetched once and known by the address', async () => {
    const images = store()
    await Promise.all([images.use(address), images.use(address)])
    expect(built).toEqual([address])
    expect(await store().look(address)).toEqual({ state: 'ready' })
    expect(await images.look(`${address}?other`)).toEqual({ state: 'absent' })
  })

  it('that nobody knows is not looked for', async () => {
    const images = store()
    for (const id of ['none', '../base', 'file:///etc/passwd']) {
      const refusal = { state: 'unavailable', reason: 'The image does not exist.' }
      expect(await images.look(id)).toEqual(refusal)
      expect(await images.ensure(id)).toEqual(refusal)
      await expect(images.use(id)).rejects.toThrow('The image does not exist.')
    }
  })
})

describe('an image that cannot be made', () => {
  const coded = (code: string) => Object.assign(new Error(code), { code })
  const notBuilt = 'The BASE image could not be built:'
  it.each([
    [new ImportError('The file is too large.'), 'The file is too large.'],
    [coded('ENOSPC'), `${notBuilt} the disk is full.`],
    [coded('ENOENT'), `${notBuilt} a required program is not installed. Run npm run doctor.`],
    [new Error('dpkg: error'), `${notBuilt} a package could not be fetched or installed.`],
  ])('says why: %s', async (error, reason) => {
    const images = store({ build: () => Promise.reject(error) })
    await expect(images.use('base')).rejects.toThrow(reason)
    expect(await images.look('base')).toEqual({ state: 'unavailable', reason })
    expect(await workLeft()).toEqual([])
  })

  it('tells so for a minute, then the next who asks makes it try again, or at once who says so', async () => {
    const images = store({ build: buildOnline })
    /** What asking leads to; a busy host is still at it when it answers. */
    const outcome = async (id = 'base', again = false) => {
      const told = await images.ensure(id, again)
      if (told.state !== 'coming') return told
      await vi.waitFor(
        async () => expect(await images.look(id)).not.toMatchObject({ state: 'coming' }),
        10_000,
      )
      return images.look(id)
    }
    expect(await outcome()).toMatchObject({ state: 'unavailable' })
    isOnline = true
    expect(await outcome()).toMatchObject({ state: 'unavailable' })
    aheadMs = 61_000
    expect(await outcome()).toEqual({ state: 'ready' })
    isOnline = false
    expect(await outcome('starter')).toMatchObject({ state: 'unavailable' })
    isOnline = true
    expect(await outcome('starter', true)).toEqual({ state: 'ready' })
  })
})

describe('an image upon one that cannot be made', () => {
  it('says what is wrong with the one below, and is tried again with it', async () => {
    const images = store({ build: buildOnline })
    const refusal = {
      state: 'unavailable',
      reason: 'The BASE image could not be built: a package could not be fetched or installed.',
    }
    expect(await images.ensure('go')).toEqual(refusal)
    expect(await images.look('go')).toEqual(refusal)
    isOnline = true
    expect(await images.ensure('go', true)).toMatchObject({ state: expect.stringMatching(/ready|coming/) })
    await images.use('go')
    expect(await images.look('go')).toEqual({ state: 'ready' })
  })
})

describe('the proof of an image', () => {
  const proverThat = (prove: Prover['prove']) => ({ prove: vi.fn(prove), sweep: vi.fn(async () => {}) })

  it('comes before it counts as ready, with all it will boot from', async () => {
    const prover = proverThat(async ({ disk, kernel, lower }, { id }) => {
      expect(await images.look(id)).toMatchObject({
        what: `Checking the ${id.toUpperCase()} image in a guest`,
      })
      for (const path of [disk, kernel ?? '']) expect((await readFile(path)).length).toBe(mebibyte / 2)
      // A disk names the one below by its bare name.
      if (lower) expect(await readFile(join(dirname(disk), basename(lower)))).toEqual(await readFile(lower))
    })
    const images = store({ prover })
    const { disk } = await images.use('base')
    await images.use('go')
    expect(prover.prove.mock.calls.map(([{ lower }, { id }]) => [id, lower])).toEqual([
      ['base', undefined],
      ['go', disk],
    ])
  })

  it('keeps an image from being used that does not pass it', async () => {
    const images = store({ prover: proverThat(() => Promise.reject(new Error('cargo: not found'))) })
    await expect(images.use('base')).rejects.toThrow()
    expect(await images.look('base')).toMatchObject({ state: 'unavailable' })
    expect(await filesThere()).toBe(0)
  })
})

describe('a process that was killed', () => {
  it('keeps nobody from starting by what cannot be cleared', async () => {
    const prover = { prove: async () => {}, sweep: () => Promise.reject(new Error('no QEMU')) }
    await mkdir(at('images', 'work-dead'), { recursive: true })
    const images = store({ prover, inUse: () => Promise.reject(new Error('not readable')) })
    await images.open()
    await images.use('base')
    expect(await images.look('base')).toEqual({ state: 'ready' })
  })

  it('leaves nothing that the next one does not clear, guests of its proofs included', async () => {
    const [dead, living] = [at('images', 'work-dead'), at('images', 'work-living')]
    for (const workDir of [dead, living]) await mkdir(join(workDir, 'build'), { recursive: true })
    await writeFile(join(dead, 'owner.json'), JSON.stringify({ pid: process.pid, started: '1' }))
    const stat = await readFile(`/proc/${process.pid}/stat`, 'utf8')
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    await writeFile(join(living, 'owner.json'), JSON.stringify({ pid: process.pid, started }))
    const sweep = vi.fn(async () => {})
    await store({ prover: { prove: async () => {}, sweep } }).open()
    expect(sweep.mock.calls).toEqual([[dead]])
    expect(await workLeft()).toEqual(['work-living'])
  })

  it('is not what a process is that closes: it ends its builds', async () => {
    const images = store({
      build: async (_, __, { signal }) => {
        // Its place is there a moment before it is asked to begin, and the process may close in between.
        signal.throwIfAborted()
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        )
      },
    })
    const begun = images.use('base')
    await vi.waitFor(async () => expect(await images.look('base')).toMatchObject({ state: 'coming' }))
    const told = expect(begun).rejects.toThrow('The server is stopping.')
    await vi.waitFor(async () => expect(await workLeft()).toHaveLength(1))
    await images.close()
    await told
    expect(await workLeft()).toEqual([])
  })
})

describe('the room images take', () => {
  it('is kept below the budget by removing what nothing uses, the longest unused first', async () => {
    const generous = store()
    for (const id of ['starter', 'base', address, 'go', 'rust']) {
      await generous.use(id)
      aheadMs += 1000
    }
    await generous.use('go')
    aheadMs += 3_600_000
    // Starter and base take 2 MiB each, the others half a MiB to 2 MiB; one of them has to go.
    const images = store({ budgetBytes: 5.2 * mebibyte })
    await images.open()
    expect(await images.look(address)).toEqual({ state: 'absent' })
    for (const id of ['starter', 'base', 'go', 'rust'])
      expect(await images.look(id)).toEqual({ state: 'ready' })
    // Another must; "rust" is the longest unused.
    await store({ budgetBytes: 4.6 * mebibyte }).open()
    expect(await images.look('rust')).toEqual({ state: 'absent' })
    expect(await images.look('go')).toEqual({ state: 'ready' })
  })

  it('never costs what a machine stands on, what was just used, nor what others are built upon', async () => {
    const generous = store()
    const { disk } = await generous.use('go')
    aheadMs += 3_600_000
    used.add(disk)
    await store({ budgetBytes: 1 }).open()
    expect(await generous.look('go')).toEqual({ state: 'ready' })
    used.clear()
    await generous.use('go')
    await store({ budgetBytes: 1 }).open()
    expect(await generous.look('go')).toEqual({ state: 'ready' })
    aheadMs += 3_600_000
    await store({ budgetBytes: 1 }).open()
    expect(await generous.look('go')).toEqual({ state: 'absent' })
  })

  it('is given back by files of earlier recipes as soon as no machine stands on them', async () => {
    const { disk } = await store().use('starter')
    used.add(disk)
    await writeFile(at('recipes', 'starter', 'check.sh'), 'true')
    recipes = recipes.map((one) => (one.id === 'starter' ? { ...one, name: 'NEW' } : one))
    const other: typeof build = (one, lower, work) => build({ ...one, id: `${one.id}-2` }, lower, work)
    await store({ build: other }).use('starter')
    aheadMs = 3_600_000
    await store().open()
    expect(await filesThere()).toBe(5)
    used.clear()
    await store().open()
    expect(await filesThere()).toBe(4)
  })
})

describe('what cannot be read is not taken for absent', () => {
  const manifestOf = (id: string) => at('images', `${id}.json`)

  /** Stands in for a manifest that a broken disk or too few descriptors keep from being read; root reads the rest. */
  async function makeUnreadable(path: string): Promise<() => Promise<void>> {
    await rename(path, `${path}-aside`)
    await mkdir(path)
    return async () => {
      await rm(path, { recursive: true })
      await rename(`${path}-aside`, path)
    }
  }

  it('an image whose manifest is unreadable is told as that, is not made again, and is there when it can be read', async () => {
    await store().use('base')
    const restore = await makeUnreadable(manifestOf('base'))
    const images = store()
    const reason = expect.stringContaining('The BASE image exists but could not be read')
    expect(await images.look('base')).toEqual({ state: 'unavailable', reason })
    await expect(images.use('base')).rejects.toThrow('could not be read')
    expect(await images.ensure('base', true)).toEqual({ state: 'unavailable', reason })
    expect(built).toEqual(['base'])
    await restore()
    expect(await images.look('base')).toEqual({ state: 'ready' })
    await images.use('base')
    expect(built).toEqual(['base'])
  })

  it('a file of an image that cannot be looked at is not taken for lost', async () => {
    const { disk } = await store().use('base')
    await rename(disk, `${disk}-aside`)
    await symlink(disk, disk)
    const images = store()
    expect(await images.look('base')).toMatchObject({ state: 'unavailable' })
    await expect(images.use('base')).rejects.toThrow('could not be read')
    await expect(images.verify('base', { disk })).rejects.toThrow('could not be read')
    expect(built).toEqual(['base'])
  })

  it('while a manifest is unreadable nothing is removed, as its files cannot be told from those nobody needs', async () => {
    await store().use('base')
    await store().use('rust')
    aheadMs += 3_600_000
    const restore = await makeUnreadable(manifestOf('base'))
    const before = await filesThere()
    await store({ budgetBytes: 1 }).open()
    expect(await filesThere()).toBe(before)
    await restore()
    await store({ budgetBytes: 1 }).open()
    expect(await filesThere()).toBeLessThan(before)
  })

  it('while it cannot be told what machines stand on nothing is removed', async () => {
    await store().use('base')
    aheadMs += 3_600_000
    const before = await filesThere()
    const inUse = () => Promise.reject(new Error('a machine could not be read'))
    await store({ budgetBytes: 1, inUse }).open()
    expect(await filesThere()).toBe(before)
  })

  it('a damaged manifest is put aside, and its image made again', async () => {
    await store().use('base')
    await writeFile(manifestOf('base'), '{"image": "ba')
    const images = store()
    await images.use('base')
    expect(built).toEqual(['base', 'base'])
    expect(await images.look('base')).toEqual({ state: 'ready' })
    expect(await readFile(`${manifestOf('base')}.damaged`, 'utf8')).toBe('{"image": "ba')
  })
})
