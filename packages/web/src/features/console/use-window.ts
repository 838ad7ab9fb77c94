import { useEffect, useState } from 'react'

interface KeyboardLock {
  lock?: (keys: string[]) => Promise<void>
  unlock?: () => void
}

/**
 * The whole page, not one box of it, fills the screen, so that menus and messages are seen over the terminal. Where
 * the browser lets pages do it, a short Esc still goes to the guest and a long one leaves.
 */
export function useFullScreen(): { on: boolean; toggle: () => void } {
  const [on, setOn] = useState(false)
  // No type library knows it yet; it is missing outside of Chromium.
  const keyboard = (navigator as { keyboard?: KeyboardLock }).keyboard
  useEffect(() => {
    const follow = () => setOn(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', follow)
    return () => {
      document.removeEventListener('fullscreenchange', follow)
      if (document.fullscreenElement) void document.exitFullscreen()
    }
  }, [])
  const toggle = async () => {
    try {
      if (document.fullscreenElement) {
        keyboard?.unlock?.()
        await document.exitFullscreen()
      } else if (on) {
        setOn(false)
      } else {
        await document.documentElement.requestFullscreen()
        await keyboard?.lock?.(['Escape'])
      }
    } catch {
      // Phones without it: the terminal fills the window at least.
      setOn(!on)
    }
  }
  return { on, toggle: () => void toggle() }
}

/** Keeps `--visible-height` at what the on-screen keyboard leaves of the window. */
export function useVisibleHeight(): void {
  useEffect(() => {
    const { visualViewport: viewport } = window
    if (!viewport) return
    const { style } = document.documentElement
    const follow = () => {
      // Someone who magnifies the page sees less of it, but has no smaller window.
      if (viewport.scale > 1) style.removeProperty('--visible-height')
      else style.setProperty('--visible-height', `${Math.round(viewport.height)}px`)
    }
    follow()
    viewport.addEventListener('resize', follow)
    return () => {
      viewport.removeEventListener('resize', follow)
      style.removeProperty('--visible-height')
    }
  }, [])
}
