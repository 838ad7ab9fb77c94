/** The shares that a server knows, with what is open through each. What is known follows what is stored. */
import type { Agent } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { Uses } from '../lib/uses.ts'
import type { ShareRecord } from './share.state.ts'

/** Something that is open through a share. */
export interface OpenLine {
  /** By whose right. */
  sessionId: string | null
  end: () => void
}

export interface Entry {
  share: ShareRecord
  agent: Agent
  lines: Set<OpenLine>
  cancelEnd: () => void
}

/** Timers of Node hold less than 25 days. */
const longestTimer = 20 * 24 * 60 * 60_000
const againMs = 1_000

export function makeEntries(options: {
  read: (ids: readonly string[] | 'all') => Promise<ShareRecord[]>
  agentOf: (share: ShareRecord) => Agent
  onAdded: (entry: Entry) => void
  onRemoved: (entry: Entry) => void
  uses: Pick<Uses, 'begin'>
  clock: Clock
  log: Pick<Log, 'error'>
}) {
  const { uses, clock, log } = options
  const byId = new Map<string, Entry>()
  const idByLabel = new Map<string, string>()
  let dirty: Set<string> | 'all' = new Set()
  let working: Promise<void> | null = null
  let isClosed = false

  const endLines = (entry: Entry) => {
    for (const line of entry.lines) line.end()
  }

  function take(share: ShareRecord): void {
    const known = byId.get(share.id)
    if (!known) {
      const entry = { share, agent: options.agentOf(share), lines: new Set<OpenLine>(), cancelEnd: () => {} }
      byId.set(share.id, entry)
      idByLabel.set(share.label, share.id)
      endInTime(entry)
      options.onAdded(entry)
      return
    }
    const isForOthers = known.share.cookieKey !== share.cookieKey
    const hasMoved = known.share.hostPort !== share.hostPort
    known.share = share
    if (isForOthers) endLines(known)
    if (hasMoved) {
      options.onRemoved(known)
      options.onAdded(known)
    }
    endInTime(known)
  }

  function endInTime(entry: Entry): void {
    entry.cancelEnd()
    const { expiresAt } = entry.share
    if (expiresAt === null) return
    const leftMs = Date.parse(expiresAt) - clock.now()
    entry.cancelEnd = clock.after(Math.min(Math.max(leftMs, 0), longestTimer), () => {
      if (leftMs > longestTimer) endInTime(entry)
      else endLines(entry)
    })
  }

  function drop(id: string): void {
    const entry = byId.get(id)
    if (!entry) return
    byId.delete(id)
    idByLabel.delete(entry.share.label)
    entry.cancelEnd()
    options.onRemoved(entry)
    endLines(entry)
    entry.agent.destroy()
  }

  async function work(): Promise<void> {
    // What changes in one go is read once.
    await null
    while (!isClosed && (dirty === 'all' || dirty.size > 0)) {
      const wanted = dirty === 'all' ? dirty : [...dirty]
      dirty = new Set()
      try {
        const found = await options.read(wanted)
        if (isClosed) return
        const ids = new Set(found.map(({ id }) => id))
        for (const id of wanted === 'all' ? [...byId.keys()] : wanted) if (!ids.has(id)) drop(id)
        for (const share of found) take(share)
      } catch (error) {
        note(wanted)
        clock.after(againMs, wake)
        throw error
      }
    }
  }

  function note(ids: readonly string[] | 'all'): void {
    dirty = ids === 'all' || dirty === 'all' ? 'all' : new Set([...dirty, ...ids])
  }

  function wake(): void {
    if (working !== null || isClosed) return
    working = work().finally(() => {
      working = null
    })
    inBackground(log, 'reading shared ports', working)
  }

  return {
    get: (id: string) => byId.get(id),
    byLabel: (label: string) => byId.get(idByLabel.get(label) ?? ''),
    all: () => byId.values(),
    refresh(ids: readonly string[] | 'all'): void {
      note(ids)
      wake()
    },
    /** Settles when all that is known is what is stored. */
    idle: async () => {
      while (working !== null) await working.catch(() => {})
    },
    /** Remembers what is open through a share, until that is called which is returned. */
    hold(entry: Entry, line: OpenLine): () => void {
      entry.lines.add(line)
      const end = uses.begin(entry.share.vmId)
      return () => {
        entry.lines.delete(line)
        end()
      }
    },
    close(): void {
      isClosed = true
      for (const id of [...byId.keys()]) drop(id)
    },
  }
}
