/**
 * Turns on the one thread that answers everybody. Whoever has much to do does it in short pieces and waits for a turn between
 * them; there is one at each round of the event loop, so that connections are read in between, and accounts take turns.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { makeFairQueue } from './fair-queue.ts'

/** How long one may work before others have their turns. */
const turnMs = 5
/** Rows that are read at once, and elements of a list that are written at once: less work than a turn. */
export const piece = 250

/** The account that a call is made for. Passing it to each list would make it part of all their signatures. */
const charged = new AsyncLocalStorage<string>()

/** There is one thread in a process. */
const turns = makeFairQueue({ inAll: 1, ofOneKey: 1 })

/** Does something whose turns are those of an account; without it they are the server's own. */
export const chargedTo = <T>(accountId: string, work: () => T): T => charged.run(accountId, work)

/** Waits for the next turn of the account that is charged. */
export async function nextTurn(): Promise<void> {
  setImmediate(await turns.take(charged.getStore() ?? null))
}

/** Whether somebody waits for a turn now. */
export const isTurnAwaited = (): boolean => turns.figures().waiting > 0

/** What somebody who works in turns asks between two pieces. */
export function pace() {
  let until = performance.now() + turnMs
  return {
    isUsedUp: (): boolean => performance.now() >= until,
    /** Waits for the next turn. */
    async rest(): Promise<void> {
      await nextTurn()
      until = performance.now() + turnMs
    },
  }
}

/** Deals with the elements of a list, however long it is. */
export async function mapInTurns<I, O>(items: readonly I[], work: (item: I) => O): Promise<O[]> {
  const results: O[] = []
  const turn = pace()
  for (const item of items) {
    results.push(work(item))
    if (turn.isUsedUp()) await turn.rest()
  }
  return results
}

/**
 * Reads all rows of a query in the order of their ids, however many there are.
 *
 * @param read those after an id, in its order, and no more than so many
 */
export async function readInTurns<Row extends { id: string }, O>(
  read: (after: string, most: number) => Promise<Row[]>,
  work: (row: Row) => O,
): Promise<O[]> {
  const results: O[] = []
  const turn = pace()
  for (let after = ''; ; ) {
    const rows = await read(after, piece)
    for (const row of rows) results.push(work(row))
    const last = rows.at(-1)
    if (rows.length < piece || !last) return results
    after = last.id
    if (turn.isUsedUp()) await turn.rest()
  }
}

/** How much of a text is made ready in one turn; what takes it may be slow. */
const textOfTurn = 64 * 1024

/** A text that comes in pieces: in each of its turns the account gets as many of them as a turn has time for. */
export async function* inTurnsOf(accountId: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  async function inOneTurn(): Promise<{ text: string; done: boolean }> {
    await nextTurn()
    const turn = pace()
    let text = ''
    while (text.length < textOfTurn && !turn.isUsedUp()) {
      const next = await pieces.next()
      if (next.done) return { text, done: true }
      text += next.value
    }
    return { text, done: false }
  }
  try {
    for (let done = false; !done; ) {
      const part = await chargedTo(accountId, inOneTurn)
      if (part.text !== '') yield part.text
      done = part.done
    }
  } finally {
    await pieces.return(undefined)
  }
}
