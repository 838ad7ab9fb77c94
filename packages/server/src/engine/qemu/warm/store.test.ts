import { randomUUID } from 'node:crypto'
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../../lib/log.ts'
import { keyOf, type WarmFit } from './fit.ts'
import { frozenFiles, makeWarmStore } from './store.ts'

const fit: WarmFit = {
  shape: 4,
  qemu: '7.2.22',
  accelerator: 'TCG',
  cpuModel: 'Nehalem',
  cpu: 1,
  memoryMb: 256,
  volumes: [],
  kernel: 'kernel initrd line',
  format: 1,
  disk: 'disk',
  rootBytes: 0,
}
const key = keyOf(fit)
const { signal } = new AbortController()
const always = async () => true

describe('Frozen guests on the disk', () => {
  let dataDir: string
  let store: ReturnType<typeof makeWarmStore>
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-frozen-'))
    store = makeWarmStore(dataDir, silentLog)
    await store.sweep()
  })
  afterEach(() => rm(dataDir, { recursive: true, force: true }))

  const names = () => readdir(join(dataDir, 'warm'))

  async function freeze(what: WarmFit = fit, imageId = 'starter'): Promise<string> {
    const id = randomUUID()
    await mkdir(join(dataDir, 'warm', id))
    for (const name of frozenFiles) await writeFile(join(dataDir, 'warm', id, name), `${name} of ${id}`)
    await store.takeIn(id, { imageId, fit: what }, signal)
    return keyOf(what)
  }

  test('one that was taken in is found, by the name of what it fits', async () => {
    expect(await store.find(key)).toBe(null)
    expect(await freeze()).toBe(key)
    expect(await names()).toEqual([key])
    const found = await store.find(key)
    expect(found).toEqual(store.filesOf(key))
    expect(await readFile(found?.memory ?? '', 'utf8')).toMatch(/^memory of /)
    expect(await store.has(key)).toBe(true)
  })

  test('all that can be used are listed, and only a use is one', async () => {
    await freeze()
    const at = new Date('2026-01-01T00:00:00Z')
    await utimes(join(dataDir, 'warm', key, 'manifest.json'), at, at)
    await store.find(key, false)
    expect(await store.list()).toEqual([{ key, imageId: 'starter', fit, usedAt: at.getTime() }])
    await store.find(key)
    expect((await store.list())[0]?.usedAt).toBeGreaterThan(at.getTime())
    const next = makeWarmStore(dataDir, silentLog)
    expect(await next.list()).toEqual([])
  })

  test('the next process uses it once it was read back', async () => {
    await freeze()
    const next = makeWarmStore(dataDir, silentLog)
    expect(await next.find(key)).toBe(null)
    await next.readBack(always)
    expect(await next.find(key)).toEqual(store.filesOf(key))
  })

  test.each(frozenFiles)('one whose %s was changed meanwhile is not read back, and goes', async (name) => {
    await freeze()
    const path = join(dataDir, 'warm', key, name)
    const before = await readFile(path, 'utf8')
    await writeFile(path, before.replace('of', 'OF'))
    const next = makeWarmStore(dataDir, silentLog)
    await next.readBack(always)
    expect(await next.find(key)).toBe(null)
    expect(await names()).toEqual([])
  })

  test.each(frozenFiles)(
    'one whose %s is touched under our hands is not used again, and goes',
    async (name) => {
      await freeze()
      await appendFile(join(dataDir, 'warm', key, name), ' and more')
      expect(await store.find(key)).toBe(null)
      expect(await names()).toEqual([])
    },
  )

  test.each([...frozenFiles, 'manifest.json'])('one without its %s is none', async (name) => {
    await freeze()
    await rm(join(dataDir, 'warm', key, name))
    const next = makeWarmStore(dataDir, silentLog)
    await next.readBack(always)
    expect(await next.find(key)).toBe(null)
    expect(await names()).toEqual([])
  })

  test.each(['', '{', '{}', '[]'])('one whose manifest reads %j is none', async (text) => {
    await freeze()
    const path = join(dataDir, 'warm', key, 'manifest.json')
    await truncate(path)
    await writeFile(path, text)
    const next = makeWarmStore(dataDir, silentLog)
    await next.readBack(always)
    expect(await next.find(key)).toBe(null)
    expect(await names()).toEqual([])
  })

  test('one under the name of another is none', async () => {
    await freeze()
    const wrong = keyOf({ ...fit, memoryMb: 512 })
    await mkdir(join(dataDir, 'warm', wrong))
    for (const name of [...frozenFiles, 'manifest.json'])
      await writeFile(join(dataDir, 'warm', wrong, name), await readFile(join(dataDir, 'warm', key, name)))
    const next = makeWarmStore(dataDir, silentLog)
    await next.readBack(always)
    expect(await names()).toEqual([key])
  })

  test('what fits this host no more goes', async () => {
    await freeze()
    const next = makeWarmStore(dataDir, silentLog)
    await next.readBack(async (manifest) => manifest.fit.qemu !== fit.qemu)
    expect(await names()).toEqual([])
  })

  test('what was in the making goes, and so does what has a strange name', async () => {
    await freeze()
    await mkdir(join(dataDir, 'warm', randomUUID()))
    await mkdir(join(dataDir, 'warm', 'something'))
    await makeWarmStore(dataDir, silentLog).sweep()
    expect(await names()).toEqual([key])
  })

  test('an image that was built anew takes the place of the older one, for all sizes of VMs', async () => {
    await freeze()
    const large = await freeze({ ...fit, memoryMb: 512 })
    const other = await freeze({ ...fit, disk: 'of another image' }, 'base')
    const rebuilt = await freeze({ ...fit, disk: 'newer disk' })
    expect((await names()).sort()).toEqual([other, rebuilt].sort())
    expect(await store.find(large)).toBe(null)
  })

  test('over the budget those go that were not used for the longest time', async () => {
    const keys: string[] = []
    for (const memoryMb of [1, 2, 3]) keys.push(await freeze({ ...fit, memoryMb }))
    for (const [index, one] of keys.entries())
      await utimes(join(dataDir, 'warm', one, 'manifest.json'), index, index)
    await store.find(keys[0] ?? '')
    const small = 3 * 4096
    await store.makeRoom(small * 3)
    expect(await names()).toHaveLength(3)
    await store.makeRoom(small * 2)
    expect((await names()).sort()).toEqual([keys[0] ?? '', keys[2] ?? ''].sort())
    await store.makeRoom(0)
    expect(await names()).toEqual([])
    expect(await store.find(keys[0] ?? '')).toBe(null)
  })
})
