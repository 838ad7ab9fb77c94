/** The heading of the page, which takes the focus when the focused element was removed. */
export const pageHeading = (): HTMLElement | null => document.querySelector<HTMLElement>('main h1')

/** Where the focus goes when a dialog closes: to the element that opened it, or else to the heading of the page. */
export function returnFocus(opener: Element | null): HTMLElement | true {
  if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) return opener
  return pageHeading() ?? true
}
