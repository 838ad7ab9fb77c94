import { useEffect, useRef } from 'react'
import { announce } from './announce.ts'
import { type Kind, settledText, statusesOf, type WithStatus } from './settled-text.ts'

/** Tells assistive technology when one of the shown objects comes to rest. `kind` stays the same object. */
export function useAnnouncedChanges(items: readonly WithStatus[], kind: Kind): void {
  const before = useRef(statusesOf(items))
  useEffect(() => {
    const text = settledText(before.current, items, kind)
    before.current = statusesOf(items)
    if (text) announce(text)
  }, [items, kind])
}
