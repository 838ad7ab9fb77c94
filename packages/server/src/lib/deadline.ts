import type { Clock } from './clock.ts'

/** Work did not end in time. It may still be under way; only the wait for it is over. */
export class DeadlineError extends Error {
  constructor(what: string, ms: number) {
    super(`${what} did not finish within ${ms / 1000} s`)
    this.name = 'DeadlineError'
  }
}

/** Resolves or rejects as the work does, or rejects with a {@link DeadlineError} after `ms` milliseconds. */
export function withDeadline<T>(
  work: Promise<T>,
  ms: number,
  what: string,
  clock: Pick<Clock, 'after'>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new DeadlineError(what, ms)))
    work.finally(cancel).then(resolve, reject)
  })
}
