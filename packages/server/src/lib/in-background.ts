import type { Log } from './log.ts'

/**
 * Lets work go on that nobody waits for. A failure is logged with what the work was, and never reaches the process:
 * a rejected promise without a listener would end it.
 */
export function inBackground(log: Pick<Log, 'error'>, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => log.error({ err: error }, `In the background: ${what} failed`))
}
