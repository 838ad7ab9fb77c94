import { describe, expect, it } from 'vitest'
import type { Seen } from './look.ts'
import { checkListeners, checkTruthPatiently, neverRests } from './settle.ts'
import type { Truth } from './truth/truth.ts'

const host = { toldWithinMs: 0 }
const vm = (suspends_at: string): Seen => ({
  kind: 'vm',
  user: 0,
  object: { id: 'v', name: 'v', suspends_at },
})
/** A listener that has heard of a VM as it is now. */
const hears = (now: () => string) => ({
  differences: (seen: readonly Seen[]) =>
    seen
      .filter(({ object }) => object.suspends_at !== now())
      .map(({ object }) => ({ rule: 'unheard', message: `heard ${now()}, shown ${object.suspends_at}` })),
})

describe('At rest, what listeners heard is compared', () => {
  it('with how things are now, as the time until a VM is suspended moves also then', async () => {
    let at = 0
    const look = async () => [vm(`${at}`)]
    await look()
    // The rest of the look at everything takes a while.
    at = 1
    expect(await checkListeners({ host, listeners: [hears(() => `${at}`)] }, look)).toEqual([])
  })

  it('once more when something changed while it was looked at', async () => {
    let at = 0
    let looks = 0
    const look = async () => {
      const seen = [vm(`${at}`)]
      looks += 1
      if (looks === 1) at = 1
      return seen
    }
    expect(await checkListeners({ host, listeners: [hears(() => `${at}`)] }, look)).toEqual([])
    expect(looks).toBe(2)
  })

  it('and what was never heard is found', async () => {
    const findings = await checkListeners({ host, listeners: [hears(() => 'before')] }, async () => [
      vm('now'),
    ])
    expect(findings).toEqual([{ rule: 'unheard', message: 'heard before, shown now' }])
  })

  it('and a server that does not answer is found as well', async () => {
    const findings = await checkListeners({ host, listeners: [hears(() => 'x')] }, async () => null)
    expect(findings).toMatchObject([{ rule: 'silence' }])
  })
})

describe('At rest, what the engine holds is compared', () => {
  const snapshot: Seen = { kind: 'vmSnapshot', user: 0, object: { id: 's', name: 's', status: 'ready' } }
  const nothing: Truth = { alive: new Set(), holdings: [], kept: new Set(), disksOf: null, broken: [] }
  const ofNothing = { host: { truth: async () => nothing }, people: [] }

  it('once more when something went by itself while it was looked at', async () => {
    let looks = 0
    const look = async () => (looks++ === 0 ? [snapshot] : [])
    expect(await checkTruthPatiently(ofNothing, look)).toEqual([])
    expect(looks).toBe(2)
  })

  it('and what it never holds is found', async () => {
    expect(await checkTruthPatiently(ofNothing, async () => [snapshot])).toMatchObject([{ rule: 'hollow' }])
  })
})

describe('Nobody waits for', () => {
  const disk = (name: string, manner: string, status = 'creating'): Seen => ({
    kind: 'disk',
    user: 0,
    object: { id: name, name, status, image_url: `http://127.0.0.1:1/${manner}/${name}.img` },
  })
  const exempt = (...seen: Seen[]) => seen.filter(neverRests(seen)).map(({ object: { name } }) => name)

  it('downloads that never end, but for the others beside one', () => {
    expect(exempt(disk('a', 'stalled'), disk('b', 'cut'))).toEqual(['a'])
  })

  it('the downloads that take turns with them', () => {
    expect(exempt(disk('a', 'stalled'), disk('b', 'stalled'), disk('c', 'cut'))).toEqual(['a', 'b', 'c'])
    expect(exempt(disk('a', 'stalled'), disk('b', 'stalled', 'failed'), disk('c', 'cut'))).not.toContain('c')
  })

  it('a guest that never answers', () => {
    const named = (name: string) => ({ ...vm(''), object: { id: name, name, status: 'provisioning' } })
    expect(exempt(named('fault-never-ready-1'), named('web'))).toEqual(['fault-never-ready-1'])
  })
})
