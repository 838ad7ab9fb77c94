import type { Log } from '../../lib/log.ts'
import { inOurWords } from './failure.ts'
import { ended, goOn } from './mirror-wait.ts'

/**
 * Makes a snapshot, and removes what is left of it when that fails. One that was whole before stays whatever happens:
 * the call was repeated. Throws an `aborted` error when the signal is aborted, else what `make` throws, in our words.
 */
export async function wholeOrNone<T>(deps: {
  id: string
  log: Log
  signal: AbortSignal
  /** What failed, in a sentence. */
  doing: string
  /** What the cluster has of it now. */
  look: () => 'none' | 'some' | 'whole'
  make: () => Promise<T>
  remove: () => Promise<unknown>
}): Promise<T> {
  const { id, log, signal, doing, look, make, remove } = deps
  const wasWhole = look() === 'whole'
  try {
    goOn(signal)
    return await inOurWords(doing, make)
  } catch (error) {
    if (!wasWhole && look() !== 'none') {
      await remove().catch((err) => log.warn({ err, id }, 'A half-made snapshot is left for a while'))
    }
    throw signal.aborted ? ended() : error
  }
}
