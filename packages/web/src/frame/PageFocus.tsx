import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { announce } from '../shell/announce.ts'

/** Until then a page may still be loading what its heading says. */
const waitMs = 5_000

/**
 * A page change in a single-page application is silent and leaves the focus on a removed element. This moves the focus
 * to the heading of the new page, so that its title is read. A change of the query alone is not a new page: filters
 * and dialogs are kept there.
 */
export function PageFocus() {
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    return focusHeading()
  }, [pathname])
  return null
}

/** Focuses the heading as soon as there is one, unless the user or the page puts the focus elsewhere first. */
function focusHeading(): () => void {
  const before = document.activeElement
  const isTaken = () => {
    const now = document.activeElement
    if (!now || now === document.body) return false
    // A field that the page itself focused, or whatever the user went on to.
    return now.matches('input, textarea, select, [contenteditable]') || (now !== before && now.isConnected)
  }
  const tryFocus = () => {
    const heading = document.querySelector<HTMLElement>('main h1')
    if (!heading) return false
    heading.tabIndex = -1
    if (!isTaken()) heading.focus({ preventScroll: true })
    return true
  }
  if (tryFocus()) return () => {}
  const observer = new MutationObserver(() => tryFocus() && stop())
  const timer = setTimeout(() => {
    stop()
    announce(document.title)
  }, waitMs)
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
  }
  observer.observe(document.body, { childList: true, subtree: true })
  return stop
}
