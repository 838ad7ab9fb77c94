/** Shares one event stream among the tabs of a browser. It runs in the shared worker, or in a tab that has none. */
import { readRevision } from './revision.ts'
import { makeStream, type Source } from './stream.ts'

export type ToHub =
  | { do: 'join'; url: string; names: readonly string[]; after: string | null }
  | { do: 'hurry' }
  | { do: 'leave' }

export type ToTab =
  | { say: 'event'; name: string; revision: string | null; data: string }
  | { say: 'state'; lostSince: number | null }
  /** The server responded, but not with a stream. Sent to one tab only, which finds out why. */
  | { say: 'refused' }

type Event = Extract<ToTab, { say: 'event' }>
export type Tell = (message: ToTab) => void

/** Events kept for tabs that open, which may have missed them since their first response. */
const eventsKept = 1_000

export function makeHub(open: (url: string) => Source) {
  const tabs = new Set<Tell>()
  let stream: ReturnType<typeof makeStream> | null = null
  let kept: Event[] = []
  /** All events after this revision are kept. */
  let floor: string | null = null

  function handOn(event: Event): void {
    if (event.name === 'hello') {
      const { revision, replayed } = JSON.parse(event.data) as { revision: string; replayed: boolean }
      if (!replayed) {
        kept = []
        floor = revision
      }
    } else {
      kept.push(event)
      if (kept.length > eventsKept) floor = kept.shift()?.revision ?? floor
    }
    for (const tell of tabs) tell(event)
  }

  /** The events after a revision; null when they are not kept. */
  function since(after: string | null): Event[] | null {
    const [from, lowest] = [readRevision(after), readRevision(floor)]
    if (!from || !lowest || from.epoch !== lowest.epoch || from.number < lowest.number) return null
    return kept.filter(({ revision }) => (readRevision(revision)?.number ?? 0) > from.number)
  }

  return {
    /** Handles a message of a tab. The function identifies the tab. */
    take(tell: Tell, message: ToHub): void {
      if (message.do === 'hurry') stream?.hurry()
      if (message.do === 'leave') {
        tabs.delete(tell)
        if (tabs.size > 0) return
        stream?.stop()
        stream = null
      }
      if (message.do !== 'join') return
      tabs.add(tell)
      if (stream) {
        const missed = since(message.after)
        const lists: Event = {
          say: 'event',
          name: 'hello',
          revision: null,
          data: JSON.stringify({ revision: floor, replayed: false }),
        }
        for (const event of missed ?? [lists]) tell(event)
      } else {
        kept = []
        floor = message.after
        const { url, names, after } = message
        stream = makeStream({
          open,
          url,
          names,
          after,
          onEvent: (event) => handOn({ say: 'event', ...event }),
          onState(lostSince) {
            for (const tell of tabs) tell({ say: 'state', lostSince })
          },
          onRefused() {
            for (const tell of [...tabs].slice(-1)) tell({ say: 'refused' })
          },
        })
      }
      tell({ say: 'state', lostSince: stream.lostSince() })
    },
  }
}
