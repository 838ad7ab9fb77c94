import type { Clock } from '../lib/clock.ts'
import { errorCode } from '../lib/command.ts'
import type { Log } from '../lib/log.ts'

const sayEveryMs = 60_000

/**
 * Takes note of errors of sockets. What a client sends is its own affair: frames that are malformed are one short line a minute,
 * however many there were. Everything else is unexpected.
 */
export function makeBrokenFrames(
  clock: Pick<Clock, 'monotonic'>,
): (error: Error, from: string, log: Pick<Log, 'warn' | 'error'>) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  let unsaid = 0

  return (error, from, log) => {
    const code = errorCode(error)
    // Connections that were cut are said by nobody either.
    if (code === 'ECONNRESET' || code === 'EPIPE') return
    if (!code?.startsWith('WS_ERR_')) return log.error({ err: error }, 'unexpected error of a socket')
    unsaid++
    if (clock.monotonic() - saidAt < sayEveryMs) return
    log.warn({ from, reason: code, frames: unsaid }, 'A client sent malformed WebSocket frames')
    saidAt = clock.monotonic()
    unsaid = 0
  }
}
