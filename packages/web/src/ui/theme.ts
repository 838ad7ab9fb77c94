import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

// public/boot.js reads the same key before the first paint.
const key = 'slipway.theme'
const systemDark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let theme = stored()

function stored(): Theme {
  try {
    const choice = localStorage.getItem(key)
    return choice === 'light' || choice === 'dark' ? choice : 'system'
  } catch {
    return 'system'
  }
}

function apply() {
  document.documentElement.classList.toggle(
    'dark',
    theme === 'dark' || (theme === 'system' && systemDark.matches),
  )
}
systemDark.addEventListener('change', apply)

/** Sets light, dark or the system's mode, and stores the choice in this browser. */
export function setTheme(next: Theme) {
  theme = next
  try {
    if (next === 'system') localStorage.removeItem(key)
    else localStorage.setItem(key, next)
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
  apply()
  for (const listener of listeners) listener()
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => theme,
  )
}
