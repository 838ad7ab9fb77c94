import { finished } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { FairQueue } from '../lib/fair-queue.ts'
import { chargedTo, nextTurn } from '../lib/turn.ts'
import { abandonedSignal } from './abandoned.ts'
import { cutUnlessTaken } from './least-speed.ts'
import type { Session } from './sessions.ts'

/** A call that waited longer is not made on the word of before. */
const freshMs = 1_000

/**
 * Makes a call in a place of the account, and in its turns.
 *
 * @param work gets who calls; `again` says that once more, for a call that had to wait: a session or a token may have ended meanwhile
 */
export async function inPlace(
  calls: FairQueue,
  session: Session,
  reply: FastifyReply,
  again: () => Promise<Session | null>,
  work: (session: Session | null) => Promise<void>,
): Promise<void> {
  const { id } = session.user
  const asked = performance.now()
  await calls.run(
    id,
    () =>
      chargedTo(id, async () => {
        await nextTurn()
        await work(performance.now() - asked > freshMs ? await again() : session)
      }),
    abandonedSignal(reply),
  )
}

/** Takes a place that is given back once all of the answer has been sent, or the client has gone or takes too little of it. */
export async function placeUntilSent(
  queue: FairQueue,
  accountId: string,
  reply: FastifyReply,
): Promise<void> {
  const leave = await queue.take(accountId, abandonedSignal(reply))
  finished(reply.raw, leave)
  cutUnlessTaken(reply, reply.request.url)
}
