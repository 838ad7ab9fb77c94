/**
 * What VMs used in the last hour, in memory: numbers in rings of fixed size, so that a thousand VMs are some
 * megabytes, whatever they do.
 */
import type { UsageSample } from '@slipway/contract'
import { isoTime } from '../lib/clock.ts'

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
const width = usedNames.length

interface Page {
  owner: Owner
  values: Float32Array
  /** The number of the look that each place holds; -1 is none. */
  looks: Int32Array
  last: number
}

export function makeUsageBook() {
  const pages = new Map<string, Page>()
  /** When each look was, by its number. */
  let times: number[] = []
  let firstLook = 0

  const readAt = ({ values, looks }: Page, look: number): Used | null => {
    const place = look % looksKept
    if (looks[place] !== look) return null
    const at = (i: number) => {
      const value = values[place * width + i] ?? Number.NaN
      return Number.isNaN(value) ? null : value
    }
    return {
      ...{ cpu: at(0), memoryMb: at(1), diskRead: at(2) },
      ...{ diskWrite: at(3), netIn: at(4), netOut: at(5) },
    }
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
      const place = look % looksKept
      for (const [owner, used] of all) {
        const page = pages.get(owner.vmId) ?? {
          owner,
          values: new Float32Array(looksKept * width),
          looks: new Int32Array(looksKept).fill(-1),
          last: look,
        }
        pages.set(owner.vmId, page)
        page.owner = owner
        page.last = look
        page.looks[place] = look
        for (const [i, name] of usedNames.entries()) page.values[place * width + i] = used[name] ?? Number.NaN
      }
      for (const [id, page] of pages) if (page.last < firstLook) pages.delete(id)
    },

    /** What the VMs that are asked for used together, oldest first. */
    samples(isWanted: (owner: Owner) => boolean): UsageSample[] {
      const wanted = [...pages.values()].filter(({ owner }) => isWanted(owner))
      return times.flatMap((at, i) => {
        const look = firstLook + i
        const used = wanted.flatMap((page) => {
          const one = readAt(page, look)
          return one ? [{ ...one, processors: page.owner.processors }] : []
        })
        return used.length === 0 ? [] : [together(at, used)]
      })
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
    ...{ disk_read: sum('diskRead'), disk_write: sum('diskWrite') },
    ...{ net_in: sum('netIn'), net_out: sum('netOut') },
  }
}

/** The mean of what a VM used in several spans. */
export function meanOf(all: readonly Used[]): Used {
  const mean = (name: keyof Used) => {
    const known = all.flatMap((one) => one[name] ?? [])
    return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length
  }
  return {
    ...{ cpu: mean('cpu'), memoryMb: mean('memoryMb'), diskRead: mean('diskRead') },
    ...{ diskWrite: mean('diskWrite'), netIn: mean('netIn'), netOut: mean('netOut') },
  }
}
