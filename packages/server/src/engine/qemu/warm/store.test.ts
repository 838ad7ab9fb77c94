import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { directoryForEach } from '../../../lib/directory.test-kit.ts'
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
  const dataDir = directoryForEach()
  let store: ReturnType<typeof makeWarmStore>
  beforeEach(async () => {
    store = newStore()
    await store.sweep()
  })

  /** As another process has it. */
  const newStore = () => makeWarmStore(dataDir(), silentLog)
  const at = (...names: string[]) => join(dataDir(), 'warm', ...names)
  const names = () => readdir(at())
  async function expectGone(byRestart = true): Promise<void> {
    const next = byRestart ? newStore() : store
    if (byRestart) await next.readBack(always)
    expect(await next.find(key)).toBe(null)
    expect(await names()).toEqual([])
  }

  async function freeze(what: WarmFit = fit, imageId = 'starter'): Promise<string> {
    const id = randomUUID()
    await mkdir(at(id))
    for (const name of frozenFiles) await writeFile(at(id, name), `${name} of ${id}`)
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
    const then = new Date('2026-01-01T00:00:00Z')
    await utimes(at(key, 'manifest.json'), then, then)
    await store.find(key, false)
    expect(await store.list()).toEqual([{ key, imageId: 'starter', fit, usedAt: then.getTime() }])
    await store.find(key)
    expect((await store.list())[0]?.usedAt).toBeGreaterThan(then.getTime())
    const next = newStore()
    expect(await next.list()).toEqual([])
  })

  test('the next process uses it once it was read back', async () => {
    await freeze()
    const next = newStore()
    expect(await next.find(key)).toBe(null)
    await next.readBack(always)
    expect(await next.find(key)).toEqual(store.filesOf(key))
  })

  test.each(
    frozenFiles.flatMap((name) => [
      { name, how: 'meanwhile', byRestart: true },
      { name, how: 'under our hands', byRestart: false },
    ]),
  )('one whose $name was changed $how is not used, and goes', async ({ name, byRestart }) => {
    await freeze()
    const before = await readFile(at(key, name), 'utf8')
    await writeFile(at(key, name), before.replace('of', 'OF'))
    // Clocks of file systems are coarse.
    await utimes(at(key, name), 1, 1)
    await expectGone(byRestart)
  })

  test.each([...frozenFiles, 'manifest.json'])('one without its %s is none', async (name) => {
    await freeze()
    await rm(at(key, name))
    await expectGone()
  })

  test.each(['', '{', '{}', '[]'])('one whose manifest reads %j is none', async (text) => {
    await freeze()
    await writeFile(at(key, 'manifest.json'), text)
    await expectGone()
  })

  test('one under the name of another is none', async () => {
    await freeze()
    const wrong = keyOf({ ...fit, memoryMb: 512 })
    await mkdir(at(wrong))
    for (const name of [...frozenFiles, 'manifest.json'])
      await writeFile(at(wrong, name), await readFile(at(key, name)))
    const next = newStore()
    await next.readBack(always)
    expect(await names()).toEqual([key])
  })

  test('what fits this host no more goes', async () => {
    await freeze()
    const next = newStore()
    await next.readBack(async (manifest) => manifest.fit.qemu !== fit.qemu)
    expect(await names()).toEqual([])
  })

  test('what was in the making goes, and so does what has a strange name', async () => {
    await freeze()
    await mkdir(at(randomUUID()))
    await mkdir(at('something'))
    await newStore().sweep()
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
    for (const [index, one] of keys.entries()) await utimes(at(one, 'manifest.json'), index, index)
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
