import { useEffect, useRef } from 'react'
import { announce } from './announce.ts'
import { type Kind, settledText, statusesOf, type WithStatus } from './settled-text.ts'

/** Announces when one of the shown objects settles. `kind` must keep its identity. */
export function useAnnouncedChanges(items: readonly WithStatus[], kind: Kind): void {
  const before = useRef(statusesOf(items))
  useEffect(() => {
    const text = settledText(before.current, items, kind)
    before.current = statusesOf(items)
    if (text) announce(text)
  }, [items, kind])
}
