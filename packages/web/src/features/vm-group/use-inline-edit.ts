import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** Editing in place: what is shown turns into fields, and the focus comes back to what opened them. */
export function useInlineEdit() {
  const trigger = useRef<HTMLButtonElement>(null)
  const [editing, setEditing] = useState(false)
  return {
    editing,
    /** For the button that begins it. */
    trigger,
    open: () => setEditing(true),
    close: () => {
      // The button may be there again only then.
      flushSync(() => setEditing(false))
      trigger.current?.focus()
    },
  }
}
