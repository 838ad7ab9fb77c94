/** Waiting for the cluster: for a change of what is in memory of it, never by asking again and again. */
import type { Clock } from '../../lib/clock.ts'
import { EngineError } from '../engine.ts'

/** Something that calls back after each change, such as the objects of one kind. */
export interface Changing {
  onChange(listener: () => void): () => void
}

export interface Patience {
  /** How long it may take. */
  ms: number
  signal?: AbortSignal
}

/**
 * Looks now and after each change, until there is something to see. Null when there is nothing in time; throws what `look`
 * throws, and an `aborted` error when the signal is aborted.
 */
export function whenMirrored<T>(
  clock: Pick<Clock, 'after'>,
  watched: readonly Changing[],
  look: () => T | null,
  { ms, signal }: Patience,
): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stops: (() => void)[] = []
    let isOver = false
    function over(settle: () => void): void {
      if (isOver) return
      isOver = true
      for (const stop of stops) stop()
      settle()
    }
    function check(): void {
      if (isOver) return
      try {
        const seen = look()
        if (seen !== null) over(() => resolve(seen))
      } catch (error) {
        over(() => reject(error))
      }
    }
    const abort = () => over(() => reject(ended()))
    if (signal?.aborted) return abort()
    check()
    if (isOver) return
    signal?.addEventListener('abort', abort)
    stops.push(
      () => signal?.removeEventListener('abort', abort),
      clock.after(ms, () => over(() => resolve(null))),
      ...watched.map((one) => one.onChange(check)),
    )
  })
}

/** Long work was ended by who asked for it. */
export const ended = (): EngineError => new EngineError('aborted', 'This was cancelled.')

/** Throws when the work was ended. */
export function goOn(signal: AbortSignal): void {
  if (signal.aborted) throw ended()
}
