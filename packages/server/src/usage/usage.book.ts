/**
 * What VMs used in the last hour, in memory: twelve bytes for each look at a VM, so that a thousand VMs that have run
 * for an hour take five megabytes.
 */

import type { UsageSample } from '@slipway/contract'
import { isoTime } from '../lib/clock.ts'
import { mapInTurns } from '../lib/turn.ts'
import { absent, pack, unpack } from './packed.ts'

/** What one VM used since the look before. Null: nobody could tell. */
export interface Used {
  /** Percent of its processors. */
  cpu: number | null
  memoryMb: number | null
  /** Bytes in a second. */
  diskRead: number | null
  diskWrite: number | null
  netIn: number | null
  netOut: number | null
}

/** Whose use it is. */
export interface Owner {
  vmId: string
  projectId: string
  groupId: string | null
  processors: number
  memoryMb: number
}

export const usedNames = ['cpu', 'memoryMb', 'diskRead', 'diskWrite', 'netIn', 'netOut'] as const

/** How often VMs are looked at. */
export const everyMs = 10_000
/** What is kept of a span longer than an hour is its mean, for so long. */
export const spanMs = 5 * 60_000
export const keptMs = 24 * 60 * 60_000
const looksKept = (60 * 60_000) / everyMs
/** Looks in one block of a page: those of a span. */
const looksInBlock = spanMs / everyMs
/** An hour may begin and end within a block. */
const blocksKept = Math.ceil(looksKept / looksInBlock) + 1
const width = usedNames.length
/** CPU use is kept in hundredths of a percent. */
const cpuParts = 100

/** What was measured of one VM. Blocks are made when they are needed, so a VM takes what it has run. */
interface Page {
  owner: Owner
  /** A ring; each block knows which one it is, counted from the first look. */
  blocks: ({ number: number; codes: Uint16Array } | undefined)[]
  last: number
}

const blockOf = (look: number) => Math.floor(look / looksInBlock)

function write(page: Page, look: number, used: Used): void {
  const number = blockOf(look)
  let block = page.blocks[number % blocksKept]
  if (block?.number !== number) {
    // The one that was here is over an hour old.
    block = { number, codes: (block?.codes ?? new Uint16Array(looksInBlock * width)).fill(absent) }
    page.blocks[number % blocksKept] = block
  }
  const place = (look % looksInBlock) * width
  block.codes[place] = pack(used.cpu === null ? null : used.cpu * cpuParts)
  for (let i = 1; i < width; i++) block.codes[place + i] = pack(used[usedNames[i] ?? 'cpu'])
}

function readAt(page: Page, look: number): Used | null {
  const number = blockOf(look)
  const block = page.blocks[number % blocksKept]
  const place = (look % looksInBlock) * width
  if (block?.number !== number || block.codes[place] === absent) return null
  const at = (i: number) => unpack(block.codes[place + i] ?? absent)
  const cpu = at(0)
  return {
    cpu: cpu === null ? null : cpu / cpuParts,
    memoryMb: at(1),
    diskRead: at(2),
    diskWrite: at(3),
    netIn: at(4),
    netOut: at(5),
  }
}

export function makeUsageBook() {
  const pages = new Map<string, Page>()
  /** When each look was, by its number. */
  let times: number[] = []
  let firstLook = 0

  const lookAt = (now: number): number => {
    const index = times.findIndex((at) => at > now)
    return firstLook + (index === -1 ? times.length : index)
  }

  return {
    /** Writes down one look at all who run. */
    add(now: number, all: Iterable<readonly [Owner, Used]>): void {
      times.push(now)
      if (times.length > looksKept) {
        times = times.slice(1)
        firstLook++
      }
      const look = firstLook + times.length - 1
      for (const [owner, used] of all) {
        let page = pages.get(owner.vmId)
        if (!page) {
          page = { owner, blocks: [], last: look }
          pages.set(owner.vmId, page)
        }
        page.owner = owner
        page.last = look
        write(page, look, used)
      }
      for (const [id, page] of pages) if (page.last < firstLook) pages.delete(id)
    },

    /** The mean of what each VM used at the looks after a moment; without those that were not measured since. */
    meansSince(then: number): [Owner, Used][] {
      const from = lookAt(then)
      const end = firstLook + times.length
      const means: [Owner, Used][] = []
      for (const page of pages.values()) {
        if (page.last < from) continue
        const all: Used[] = []
        for (let look = from; look < end; look++) {
          const used = readAt(page, look)
          if (used) all.push(used)
        }
        if (all.length > 0) means.push([page.owner, meanOf(all)])
      }
      return means
    },

    /** What the VMs that are asked for used together, oldest first. */
    async samples(isWanted: (owner: Owner) => boolean): Promise<UsageSample[]> {
      const wanted = [...pages.values()].filter(({ owner }) => isWanted(owner))
      // Looks go on meanwhile.
      const looks = times.map((at, i) => ({ at, look: firstLook + i }))
      const samples = await mapInTurns(looks, ({ at, look }) => {
        const used = wanted.flatMap((page) => {
          const one = readAt(page, look)
          return one ? [{ ...one, processors: page.owner.processors }] : []
        })
        return used.length === 0 ? null : together(at, used)
      })
      return samples.filter((sample) => sample !== null)
    },

    /**
     * The CPU use of a VM lately in steps of several looks, oldest first, the last step up to now; null where it did
     * not run or nobody could tell.
     */
    cpuOf(vmId: string, steps: number, looks: number): (number | null)[] {
      const page = pages.get(vmId)
      const end = firstLook + times.length
      return Array.from({ length: steps }, (_, step) => {
        const from = end - (steps - step) * looks
        const known = Array.from({ length: looks }, (_, i) => from + i).flatMap((look) =>
          page && look >= firstLook ? (readAt(page, look)?.cpu ?? []) : [],
        )
        return known.length === 0 ? null : known.reduce((sum, cpu) => sum + cpu, 0) / known.length
      })
    },
  }
}

export type UsageBook = ReturnType<typeof makeUsageBook>

/** The use of several VMs in one span as one sample: a mean of processors, sums of all else. */
export function together(at: number, all: readonly (Used & { processors: number })[]): UsageSample {
  const told = all.filter(({ cpu }) => cpu !== null)
  const processors = told.reduce((sum, one) => sum + one.processors, 0)
  const busy = told.reduce((sum, one) => sum + (one.cpu ?? 0) * one.processors, 0)
  const sum = (name: Exclude<keyof Used, 'cpu'>) => {
    const known = all.flatMap((one) => one[name] ?? [])
    return known.length === 0 ? null : Math.round(known.reduce((total, one) => total + one, 0))
  }
  return {
    at: isoTime(at),
    running: all.length,
    cpu: processors === 0 ? null : Math.round((busy / processors) * 10) / 10,
    memory_mb: sum('memoryMb'),
    disk_read: sum('diskRead'),
    disk_write: sum('diskWrite'),
    net_in: sum('netIn'),
    net_out: sum('netOut'),
  }
}

/** The mean of what a VM used in several spans. */
export function meanOf(all: readonly Used[]): Used {
  const mean = (name: keyof Used) => {
    const known = all.flatMap((one) => one[name] ?? [])
    return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length
  }
  return {
    cpu: mean('cpu'),
    memoryMb: mean('memoryMb'),
    diskRead: mean('diskRead'),
    diskWrite: mean('diskWrite'),
    netIn: mean('netIn'),
    netOut: mean('netOut'),
  }
}
