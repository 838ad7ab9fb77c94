/** A text for assistive technology, read when it appears in the live region. */
export interface Announcement {
  id: number
  text: string
}

/** Pause between two texts: screen readers drop one of two that appear at the same moment. */
const gapMs = 250
/** Long enough for every screen reader to pick a text up. Then it is removed from the page. */
const keptMs = 10_000

let waiting: string[] = []
let shown: readonly Announcement[] = []
let lastId = 0
let next: ReturnType<typeof setTimeout> | null = null
const listeners = new Set<() => void>()

function set(texts: readonly Announcement[]) {
  shown = texts
  for (const listener of listeners) listener()
}

function showNext() {
  next = null
  const [text, ...others] = waiting
  if (text === undefined) return
  waiting = others
  const id = ++lastId
  set([...shown, { id, text }])
  setTimeout(() => set(shown.filter((one) => one.id !== id)), keptMs)
  next = setTimeout(showNext, gapMs)
}

/**
 * Has assistive technology read a text, such as `web-1 is running`. Use it for changes that have no live region of
 * their own. Texts are queued, so that none is dropped and none is read twice.
 */
export function announce(text: string): void {
  waiting.push(text)
  if (next === null) showNext()
}

/** The texts in the live region, the oldest first. */
export const announcements = {
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
  get: () => shown,
}
