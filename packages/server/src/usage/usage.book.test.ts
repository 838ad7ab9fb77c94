import { describe, expect, it } from 'vitest'
import { makeUsageBook, meanOf, together, type Used } from './usage.book.ts'
import { type Reading, usedSince } from './usage.reconcile.ts'

const used = (cpu: number | null, rest: Partial<Used> = {}): Used => ({
  cpu,
  memoryMb: 100,
  diskRead: 1,
  diskWrite: 2,
  netIn: null,
  netOut: null,
  ...rest,
})
const owner = (vmId: string, processors = 1) => ({
  vmId,
  projectId: 'p',
  groupId: null,
  processors,
  memoryMb: 256,
})

describe('the book', () => {
  it('keeps the last hour of each VM, and forgets a VM an hour after it was last seen', async () => {
    const book = makeUsageBook()
    for (let look = 0; look < 400; look++)
      book.add(look * 10_000, look < 100 ? [[owner('a'), used(look)]] : [[owner('b'), used(look)]])
    const a = await book.samples(({ vmId }) => vmId === 'a')
    expect(a.map(({ cpu }) => cpu)).toEqual(Array.from({ length: 60 }, (_, i) => i + 40))
    expect(await book.samples(({ vmId }) => vmId === 'b')).toHaveLength(300)
    for (let look = 400; look < 470; look++) book.add(look * 10_000, [])
    expect(await book.samples(({ vmId }) => vmId === 'a')).toEqual([])
  })

  it('tells the last CPU figures with holes where a VM did not run', () => {
    const book = makeUsageBook()
    book.add(0, [[owner('a'), used(5)]])
    book.add(1, [])
    book.add(2, [[owner('a'), used(null)]])
    book.add(3, [[owner('a'), used(7)]])
    expect(book.cpuOf('a', 3, 1)).toEqual([null, null, 7])
    expect(book.cpuOf('a', 6, 1)).toEqual([null, null, 5, null, null, 7])
    expect(book.cpuOf('a', 2, 2)).toEqual([5, 7])
    expect(book.cpuOf('a', 1, 4)).toEqual([6])
    expect(book.cpuOf('nobody', 2, 1)).toEqual([null, null])
  })
})

describe('the book over a span', () => {
  it('tells the mean of each VM since a moment, and nothing of those that did not run since', () => {
    const book = makeUsageBook()
    for (let look = 0; look < 500; look++) {
      const all: [ReturnType<typeof owner>, Used][] = [[owner('a'), used(look < 470 ? 1 : 7, { netIn: 3e9 })]]
      if (look < 400) all.push([owner('b'), used(9)])
      book.add(look * 10_000, all)
    }
    const means = book.meansSince(4_699_999)
    expect(means.map(([{ vmId }]) => vmId)).toEqual(['a'])
    expect(means[0]?.[1]).toMatchObject({ cpu: 7, memoryMb: 100, netOut: null })
    expect((means[0]?.[1].netIn ?? 0) / 3e9).toBeCloseTo(1, 3)
    expect(book.meansSince(3_899_999).map(([{ vmId }]) => vmId)).toEqual(['a', 'b'])
  })
})

describe('samples of several VMs', () => {
  it('are a mean of processors and a sum of everything else, of what is known', () => {
    const sample = together(0, [
      { ...used(100, { netIn: 5 }), processors: 1 },
      { ...used(0), processors: 3 },
      { ...used(null, { memoryMb: null }), processors: 8 },
    ])
    expect(sample).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      running: 3,
      cpu: 25,
      memory_mb: 200,
      disk_read: 3,
      disk_write: 6,
      net_in: 5,
      net_out: null,
    })
  })

  it('of several spans are their mean', () => {
    expect(meanOf([used(10), used(null), used(30, { netIn: 4 })])).toMatchObject({
      cpu: 20,
      netIn: 4,
      netOut: null,
    })
  })
})

describe('what was used between two readings', () => {
  const reading = (at: number, rest: Partial<Reading> = {}): Reading => ({
    at,
    run: 'r',
    cpuMs: at,
    memoryMb: 1,
    disk: { read: at, written: 2 * at },
    network: null,
    used: null,
    ...rest,
  })
  it('is a rate of one run', () => {
    expect(usedSince(reading(0), reading(10_000), 2)).toEqual({
      cpu: 50,
      memoryMb: 1,
      diskRead: 1000,
      diskWrite: 2000,
      netIn: null,
      netOut: null,
    })
  })
  it('goes on with what the guest last told of its network, and counts over the time between its words', () => {
    const told = (at: number) => ({ received: at, sent: 2 * at, at })
    const first = reading(0, { network: told(0) })
    const second = reading(10_000, { network: told(30_000) })
    second.used = usedSince(first, second, 1)
    expect(second.used).toMatchObject({ netIn: 1000, netOut: 2000 })
    expect(usedSince(second, reading(20_000, { network: told(30_000) }), 1)).toMatchObject({ netIn: 1000 })
    expect(usedSince(second, reading(20_000), 1)).toMatchObject({ netIn: null, netOut: null })
  })
  it('is unknown over two runs, at the first look, and when no time passed', () => {
    expect(usedSince(reading(0, { run: 'q' }), reading(10), 1)).toBeNull()
    expect(usedSince(undefined, reading(10), 1)).toBeNull()
    expect(usedSince(reading(10), reading(10), 1)).toBeNull()
  })
  it('never exceeds what there is, nor falls below nothing', () => {
    expect(usedSince(reading(0), reading(10, { cpuMs: 99 }), 1)?.cpu).toBe(100)
    const back = usedSince(reading(10), reading(20, { cpuMs: 5, disk: { read: 3, written: 3 } }), 1)
    expect([back?.cpu, back?.diskRead]).toEqual([0, 0])
  })
})
