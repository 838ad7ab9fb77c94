/**
 * What was measured of groups in the last hour, and what the autoscaler thought of it. Kept in memory: after a restart
 * it begins anew, and until enough was measured the autoscaler holds.
 */
import type { GroupSample } from '@slipway/contract'
import { isoTime } from '../lib/clock.ts'

export interface Measured {
  /** Milliseconds since the epoch. */
  at: number
  /** From 0 to 100; null when it could not be known. */
  cpu: number | null
  current: number
  desired: number
}

const keptMs = 60 * 60_000

export interface LoadBook {
  add(groupId: string, measured: Measured): void
  /** Oldest first. */
  of(groupId: string): readonly Measured[]
  samples(groupId: string): GroupSample[]
  setVerdict(groupId: string, verdict: string | null): void
  verdict(groupId: string): string | null
  /** Forgets every group but these. */
  keep(groupIds: ReadonlySet<string>): void
}

export function makeLoadBook(): LoadBook {
  const books = new Map<string, { measured: Measured[]; verdict: string | null }>()
  const bookOf = (groupId: string) => {
    const book = books.get(groupId) ?? { measured: [], verdict: null }
    books.set(groupId, book)
    return book
  }
  return {
    add(groupId, measured) {
      const book = bookOf(groupId)
      book.measured = [...book.measured.filter(({ at }) => measured.at - at < keptMs), measured]
    },
    of: (groupId) => books.get(groupId)?.measured ?? [],
    samples: (groupId) =>
      (books.get(groupId)?.measured ?? []).map(({ at, cpu, current, desired }) => ({
        at: isoTime(at),
        cpu: cpu === null ? null : Math.round(cpu * 10) / 10,
        current_size: current,
        desired_size: desired,
      })),
    setVerdict(groupId, verdict) {
      bookOf(groupId).verdict = verdict
    },
    verdict: (groupId) => books.get(groupId)?.verdict ?? null,
    keep(groupIds) {
      for (const id of books.keys()) if (!groupIds.has(id)) books.delete(id)
    },
  }
}
