import { randomBytes } from 'node:crypto'
import type { z } from 'zod'

/** What messages are about, and what they are made of. */
export interface Topic<T> {
  name: string
  body: z.ZodType<T>
}

type Listener<T> = (body: T, number: number) => void

/**
 * What the servers of one installation tell each other while they run. A message names what changed, or asks for
 * something; nothing is kept in it. Messages may be lost: whoever may have missed some is told so.
 */
export interface Peers {
  /** Names the count of messages. Numbers of different counts cannot be compared. */
  readonly epoch: string
  /** The number of the last message that this server heard. */
  position: () => number
  /** Tells all servers, this one as well. All hear it in the same order and with the same number. */
  tell: <T>(topic: Topic<T>, body: T) => void
  /** Tells the other servers only. */
  tellOthers: <T>(topic: Topic<T>, body: T) => void
  hear: <T>(topic: Topic<T>, listener: Listener<T>) => void
  /** Calls back when messages may have been missed: what is known from them has to be read anew. */
  onGap: (listener: () => void) => void
  /** Calls back when the database can be reached again: what failed may be tried again. */
  onBack: (listener: () => void) => void
  /** Tells what waits to be told, and ends. */
  close: () => Promise<void>
}

/** A name for a count of messages that no other one has. */
export const newEpoch = (): string => randomBytes(11).toString('hex')

/** Those of a server that is alone with its database. What it tells it hears at once. */
export function makeNoPeers(epoch = newEpoch()): Peers {
  const ears = makeEars()
  let position = 0
  return {
    epoch,
    position: () => position,
    tell(topic, body) {
      position++
      for (const listener of ears.of(topic.name)) listener(body, position)
    },
    tellOthers() {},
    hear: ears.hear,
    onGap() {},
    onBack() {},
    async close() {},
  }
}

/** Who listens to which topic. */
export function makeEars() {
  const all = new Map<string, { topic: Topic<unknown>; listeners: Listener<unknown>[] }>()
  return {
    hear<T>(topic: Topic<T>, listener: Listener<T>): void {
      const ears = all.get(topic.name) ?? { topic, listeners: [] }
      // A topic has one type of body.
      ears.listeners.push(listener as Listener<unknown>)
      all.set(topic.name, ears)
    },
    of: (name: string): readonly Listener<unknown>[] => all.get(name)?.listeners ?? [],
    /** Of a body that another server sent: undefined when it is none of that topic, which a newer version may send. */
    read(name: string, body: unknown): unknown {
      return all.get(name)?.topic.body.safeParse(body).data
    },
  }
}
