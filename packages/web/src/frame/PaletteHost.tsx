import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { isPaletteKey, palette } from './palette.ts'

// It comes when it is first opened.
const Palette = lazy(async () => ({ default: (await import('../features/palette/Palette.tsx')).Palette }))

/** In a console the key is the guest's: a shell cuts the line with it. */
const isForGuest = (target: EventTarget | null) =>
  target instanceof Element && target.closest('.xterm, canvas') !== null

/** Where "Find anything" is drawn, and the keys that open it. Once in the console's frame. */
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
      // Another dialog wants to be answered first.
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
