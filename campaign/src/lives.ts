/** A server that is started on the same data again and again. */
import { existsSync } from 'node:fs'
import { type Server, startServer } from '@slipway/e2e/server'

export interface Lives {
  /** Null while it is down. */
  readonly server: Server | null
  /** Counts the starts. */
  readonly count: number
  /** Whether its process has ended by itself. */
  readonly hasEnded: boolean
  /** Throws when it does not come up. */
  start: () => Promise<void>
  /** Starts it and kills it after so many milliseconds, ready or not. */
  startAndKill: (afterMs: number) => Promise<void>
  end: (how: 'kill' | 'stop') => Promise<void>
  /** What all lives printed since this was asked last. */
  takeOutput: () => string
}

export function makeLives(dataDir: string, settings: Record<string, string>): Lives {
  let server: Server | null = null
  let count = 0
  let output = ''
  let taken = 0
  return {
    get server() {
      return server
    },
    get count() {
      return count
    },
    get hasEnded() {
      return server !== null && !existsSync(`/proc/${server.pid}`)
    },
    async start() {
      if (server) return
      server = await startServer(settings, dataDir)
      count++
    },
    async startAndKill(afterMs) {
      const started = startServer(settings, dataDir, AbortSignal.timeout(afterMs))
      // It was killed before it was ready, or it is now.
      await started.then(
        (early) => early.kill(),
        () => {},
      )
    },
    async end(how) {
      const ending = server
      if (!ending) return
      server = null
      await ending[how]()
      output += ending.output().slice(taken)
      taken = 0
    },
    takeOutput() {
      const printed = server?.output() ?? ''
      const fresh = output + printed.slice(taken)
      output = ''
      taken = printed.length
      return fresh
    },
  }
}
