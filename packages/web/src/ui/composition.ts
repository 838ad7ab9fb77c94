import type { KeyboardEvent as ReactKeyboardEvent } from 'react'

/**
 * Whether a key press belongs to an input method: there, Enter accepts a Japanese or Chinese word and Escape drops it,
 * and neither is meant for the form. Safari marks the last one only by the key code 229.
 */
export function isComposing(event: KeyboardEvent | ReactKeyboardEvent): boolean {
  const { isComposing, keyCode } = 'nativeEvent' in event ? event.nativeEvent : event
  return isComposing || keyCode === 229
}

/** Enter as a command, not as part of a composition. Every key handler uses this. */
export const isEnter = (event: KeyboardEvent | ReactKeyboardEvent): boolean =>
  event.key === 'Enter' && !isComposing(event)

/** Escape as a command, not as part of a composition. */
export const isEscape = (event: KeyboardEvent | ReactKeyboardEvent): boolean =>
  event.key === 'Escape' && !isComposing(event)
