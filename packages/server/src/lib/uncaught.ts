import type { Log } from './log.ts'

let count = 0

/** How many errors reached the process because nobody caught them, since it started. */
export const uncaughtErrors = (): number => count

/**
 * Listens for what nobody caught. A rejected promise is logged, and the process goes on: what it belonged to is
 * looked at again by the next scan. After a thrown error the state of the process is unknown, so it is ended with
 * code 1; the service manager starts it again, and guests outlive it.
 *
 * @param end - ends the process; called once
 */
export function watchUncaught(log: Pick<Log, 'error'>, end: () => void): () => void {
  const onRejection = (error: unknown) => {
    count++
    log.error({ err: error }, 'A promise was rejected and nobody handled it')
  }
  const onException = (error: unknown) => {
    count++
    log.error({ err: error }, 'An error was thrown and nobody caught it. The server ends; running VMs go on.')
    end()
  }
  process.on('unhandledRejection', onRejection)
  process.on('uncaughtException', onException)
  return () => {
    process.off('unhandledRejection', onRejection)
    process.off('uncaughtException', onException)
  }
}
