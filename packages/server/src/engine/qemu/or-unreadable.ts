import type { Log } from '../../lib/log.ts'
import { UnreadableError } from './durable.ts'

/** Looks at something by its id, and makes an answer of the reason why it cannot be read. */
export type OrUnreadable = <T>(
  id: string,
  look: () => Promise<T>,
  answer: (reason: string) => T,
) => Promise<T>

/** Makes the third answer of a look, and tells the operator once which file it is about. */
export function makeOrUnreadable(log: Log): OrUnreadable {
  const logged = new Map<string, string>()
  return async (id, look, answer) => {
    try {
      const seen = await look()
      logged.delete(id)
      return seen
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error
      if (logged.get(id) !== error.message) {
        logged.set(id, error.message)
        log.error({ id, path: error.path, err: error }, 'Something in the data directory cannot be read')
      }
      return answer(error.message)
    }
  }
}
