let message = ''
const listeners = new Set<() => void>()

/** Tells assistive technology about a change that happened by itself, such as `web-1 is running`. */
export function announce(text: string) {
  // A text that is already there would not be read again; the invisible sign makes it another one.
  message = message === text ? `${text}\u200b` : text
  for (const listener of listeners) listener()
}

export const announcements = {
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
  latest: () => message,
}
