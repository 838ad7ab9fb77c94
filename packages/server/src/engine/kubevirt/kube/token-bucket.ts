/** How often we may call: so many a second on average, and a burst of some after a rest. */
import type { Clock } from '../../../lib/clock.ts'

export interface TokenBucket {
  /** Resolves when it is one's turn, first come first served; rejects with the signal's reason when it is aborted. */
  take(signal: AbortSignal): Promise<void>
}

/** @param qps - calls per second; @param burst - how many may go at once after a rest */
export function makeTokenBucket(
  { qps, burst }: { qps: number; burst: number },
  clock: Pick<Clock, 'monotonic' | 'after'>,
): TokenBucket {
  let tokens = burst
  let filledAt = clock.monotonic()
  const waiting = new Set<() => void>()
  let timer: (() => void) | null = null

  function fill(): void {
    const now = clock.monotonic()
    tokens = Math.min(burst, tokens + ((now - filledAt) * qps) / 1000)
    filledAt = now
  }

  function serve(): void {
    fill()
    for (const go of waiting) {
      // What is missing by rounding would be waited for in vain.
      if (tokens < 1 - 1e-6) break
      tokens -= 1
      waiting.delete(go)
      go()
    }
    if (waiting.size === 0 || timer !== null) return
    timer = clock.after(Math.max(1, Math.ceil(((1 - tokens) * 1000) / qps)), () => {
      timer = null
      serve()
    })
  }

  return {
    take(signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const give = () => {
          signal.removeEventListener('abort', leave)
          resolve()
        }
        const leave = () => {
          waiting.delete(give)
          reject(signal.reason)
        }
        signal.addEventListener('abort', leave, { once: true })
        waiting.add(give)
        serve()
      })
    },
  }
}
