import { finished } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { FairQueue } from '../lib/fair-queue.ts'
import { chargedTo, nextTurn } from '../lib/turn.ts'
import { abandonedSignal } from './abandoned.ts'
import type { Session } from './sessions.ts'

/** Makes a call in a place of the account, and in its turns. */
export const inPlace = <T>(
  calls: FairQueue,
  { user }: Session,
  reply: FastifyReply,
  work: () => Promise<T>,
): Promise<T> =>
  calls.run(
    user.id,
    () =>
      chargedTo(user.id, async () => {
        await nextTurn()
        return work()
      }),
    abandonedSignal(reply),
  )

/** Takes a place that is given back once all of the answer has been sent, or the client has gone. */
export async function placeUntilSent(
  queue: FairQueue,
  accountId: string,
  reply: FastifyReply,
): Promise<void> {
  const leave = await queue.take(accountId, abandonedSignal(reply))
  finished(reply.raw, leave)
}
