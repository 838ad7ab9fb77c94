let isOpen = false
const listeners = new Set<() => void>()

/** Whether "Find anything" is open. Any page can open it; `PaletteHost` draws it. */
export const palette = {
  setOpen(next: boolean) {
    isOpen = next
    for (const listener of listeners) listener()
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
  isOpen: () => isOpen,
}

const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform)

/** The keyboard shortcut that opens it, as this platform writes it. */
export const paletteKeys = (): string => (isApple() ? '\u2318K' : 'Ctrl K')

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** Whether a key press is the shortcut that opens and closes the palette. */
export function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: Key): boolean {
  return key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey
}
