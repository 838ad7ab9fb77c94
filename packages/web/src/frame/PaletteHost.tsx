import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { isPaletteKey, palette } from './palette.ts'

// Loaded when it is first opened.
const Palette = lazy(async () => ({ default: (await import('../features/palette/Palette.tsx')).Palette }))

/** In a console the shortcut belongs to the guest: shells use it to cut the rest of the line. */
const isForGuest = (target: EventTarget | null) =>
  target instanceof Element && target.closest('.xterm, canvas') !== null

/** Renders "Find anything" and handles its shortcut. Once in the console's frame. */
export function PaletteHost() {
  const open = useSyncExternalStore(palette.subscribe, palette.isOpen)
  const [wasOpen, setWasOpen] = useState(open)
  if (open && !wasOpen) setWasOpen(true)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isPaletteKey(event) || isForGuest(event.target)) return
      // Not the browser's own search either.
      event.preventDefault()
      const isOpen = palette.isOpen()
      // Another open dialog has to be answered first.
      if (!isOpen && document.querySelector('[role="dialog"], [role="alertdialog"]')) return
      palette.setOpen(!isOpen)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => {
      window.removeEventListener('keydown', onKeyDown)
      palette.setOpen(false)
    }
  }, [])
  return wasOpen ? (
    <Suspense fallback={null}>
      <Palette open={open} onOpenChange={palette.setOpen} />
    </Suspense>
  ) : null
}
