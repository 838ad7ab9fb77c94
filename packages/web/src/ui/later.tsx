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

interface Ways<P> {
  /** Whether it is shown, for what stays in the tree when it is not. */
  isOpen?: (props: P) => boolean
  close?: (props: P) => unknown
}

/**
 * A part of a page that is not needed to show it, such as a dialog. Its code is loaded when the browser is idle, or
 * when it is shown before that. If that fails, a message says so and it is closed. At the next try a browser that keeps
 * what failed (all of them before https://github.com/whatwg/html/pull/10327) fails at once, and the page starts over
 * (`startOver`).
 */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { isOpen = () => true, close = () => {} }: Ways<P> = {},
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  const get = async () => {
    loaded ??= await load()
    return loaded
  }
  loadWhenIdle(get)
  return function Later(props: P) {
    const [Part, setPart] = useState(() => loaded)
    const open = isOpen(props)
    // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each time it is shown
    useEffect(() => {
      if (Part || !open) return
      let shown = true
      get().then(
        (part) => shown && setPart(() => part),
        () => {
          if (!shown) return
          toast.error('This part of the console could not be loaded. Check your connection, then try again.')
          close(props)
        },
      )
      return () => {
        shown = false
      }
    }, [Part, open])
    return Part ? <Part {...props} /> : null
  }
}
