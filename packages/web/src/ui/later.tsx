import { type ComponentType, useEffect, useState } from 'react'
import { toast } from './toast.tsx'

/** What a page needs to be shown comes first; a page that is left at once has loaded nothing else. */
const idleAfterMs = 5_000

const waiting: (() => Promise<unknown>)[] = []
let timer: ReturnType<typeof setTimeout> | undefined

/** Loads something once the page has been there for a while and the browser has nothing else to do. */
function loadWhenIdle(load: () => Promise<unknown>): void {
  waiting.push(load)
  clearTimeout(timer)
  timer = setTimeout(() => {
    // Safari has no such callback.
    if ('requestIdleCallback' in window) requestIdleCallback(() => void loadAll())
    else void loadAll()
  }, idleAfterMs)
}

/** One after the other, so that a call of the page never waits for all of them. */
async function loadAll(): Promise<void> {
  for (const load of waiting.splice(0)) {
    // What cannot be loaded now is tried again, and said, when it is needed.
    await load().catch(() => {})
  }
}

/**
 * A part of a page that is not needed to show it, such as a dialog. Its code is loaded when the browser is idle, or
 * when it is shown before that. If that fails, a message says so and `giveUp` closes it: opened again, it tries again.
 */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  giveUp: (props: P) => unknown = () => {},
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  const get = async () => {
    loaded ??= await load()
    return loaded
  }
  loadWhenIdle(get)
  return function Later(props: P) {
    const [Part, setPart] = useState(() => loaded)
    // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each time it is shown
    useEffect(() => {
      if (Part) return
      let shown = true
      get().then(
        (part) => shown && setPart(() => part),
        () => {
          if (!shown) return
          toast.error('This part of the console could not be loaded. Check your connection, then try again.')
          giveUp(props)
        },
      )
      return () => {
        shown = false
      }
    }, [Part])
    return Part ? <Part {...props} /> : null
  }
}
