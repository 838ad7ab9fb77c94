/**
 * Places that are shared out by a key, which is the account that is charged wherever there is one. Whoever has the fewest
 * goes first, among equals the one that has waited longest for its turn, and no key has more than its share, however much it
 * asks for. Entering, leaving and choosing take the same time however many wait.
 *
 * Places are those of one process: of several servers on one database each has its own.
 */
import type { Clock } from './clock.ts'
import { Problem } from './problem.ts'

export interface Places {
  inAll: number
  ofOneKey: number
}

/** How long a caller waits, and what it is told when it would be longer. */
export interface Waiting {
  clock: Pick<Clock, 'after'>
  /** So many may wait of one key; of all as many as like, where `inAll` does not say otherwise. */
  ofOneKey: number
  inAll?: number
  forMs: number
  /** @param isOwn whether places of its own stand in its way, and not those of others alone */
  refusal: (isOwn: boolean) => Problem
}

/** Something that has a place, or waits for one. */
export interface Seat {
  isWaiting: () => boolean
  /** Gives the place back, or waits no longer. It may be called often. */
  leave: () => void
}

/** How much of a queue there is now, and how much was refused since the server began. */
export interface QueueFigures {
  running: number
  waiting: number
  refused: number
}

export type FairQueue = ReturnType<typeof makeFairQueue>

interface Entry {
  share: Share
  state: 'waiting' | 'running' | 'over'
  begin: (leave: () => void) => void
}

/** What one key has. */
interface Share {
  key: string | null
  running: number
  /** In the order they came. */
  waiting: Set<Entry>
}

/** @param bounds without them everybody waits until there is a place */
export function makeFairQueue({ inAll, ofOneKey }: Places, bounds?: Waiting) {
  const shares = new Map<string | null, Share>()
  /** Keys that wait and may have a place more, by how many they have; in the order of their turns. */
  const turns = Array.from({ length: ofOneKey }, () => new Set<Share>())
  const now: QueueFigures = { running: 0, waiting: 0, refused: 0 }

  /** Puts a share where its turn comes: behind those with as many places, unless it stands there already. */
  function line(share: Share): void {
    const right = share.waiting.size > 0 ? turns[share.running] : undefined
    for (const turn of turns) if (turn !== right) turn.delete(share)
    right?.add(share)
  }

  function next(): Entry | null {
    if (now.running >= inAll) return null
    for (const turn of turns) for (const share of turn) for (const entry of share.waiting) return entry
    return null
  }

  function fill(): void {
    for (let entry = next(); entry !== null; entry = next()) begin(entry)
  }

  function begin(entry: Entry): void {
    const { share } = entry
    entry.state = 'running'
    share.waiting.delete(entry)
    share.running++
    now.waiting--
    now.running++
    line(share)
    entry.begin(() => leave(entry))
  }

  function leave(entry: Entry): void {
    const { share, state } = entry
    if (state === 'over') return
    entry.state = 'over'
    if (state === 'running') {
      share.running--
      now.running--
    } else {
      share.waiting.delete(entry)
      now.waiting--
    }
    line(share)
    if (share.running === 0 && share.waiting.size === 0) shares.delete(share.key)
    fill()
  }

  /** Asks for a place; `begin` is called when there is one, which may be at once. */
  function enter(key: string | null, begin: Entry['begin']): Seat {
    const share = shares.get(key) ?? { key, running: 0, waiting: new Set() }
    shares.set(key, share)
    const entry: Entry = { share, state: 'waiting', begin }
    share.waiting.add(entry)
    now.waiting++
    line(share)
    fill()
    return { isWaiting: () => entry.state === 'waiting', leave: () => leave(entry) }
  }

  /**
   * Waits for a place and returns the way to give it back. Throws the refusal when too many of the key wait, or it takes too
   * long, and 408 when the caller has gone: then the place is somebody else's.
   */
  function take(key: string | null, signal?: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    if (signal?.aborted) {
      reject(abandoned())
      return promise
    }
    let stop = () => {}
    const seat = enter(key, (leave) => {
      stop()
      resolve(leave)
    })
    if (!seat.isWaiting()) return promise
    const giveUp = (reason: Problem) => {
      stop()
      seat.leave()
      reject(reason)
    }
    const refuse = ({ refusal }: Waiting) => {
      now.refused++
      const share = shares.get(key)
      giveUp(refusal(share !== undefined && (share.running > 0 || share.waiting.size > 1)))
    }
    const onAbort = () => giveUp(abandoned())
    signal?.addEventListener('abort', onAbort)
    const cancel = bounds?.clock.after(bounds.forMs, () => refuse(bounds))
    stop = () => {
      signal?.removeEventListener('abort', onAbort)
      cancel?.()
    }
    const ofKey = shares.get(key)?.waiting.size ?? 0
    if (bounds && (ofKey > bounds.ofOneKey || now.waiting > (bounds.inAll ?? Number.POSITIVE_INFINITY)))
      refuse(bounds)
    return promise
  }

  return {
    enter,
    take,

    /** Does something in a place of its own. */
    async run<T>(key: string | null, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const leave = await take(key, signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },

    /** How many places a key has. */
    runningOf: (key: string | null): number => shares.get(key)?.running ?? 0,
    figures: (): QueueFigures => ({ ...now }),
  }
}

const abandoned = () => new Problem(408, 'The request was cancelled')
