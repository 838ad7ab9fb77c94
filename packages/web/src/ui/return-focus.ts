/** The heading of the page: where the focus is well kept when what had it is gone. */
export const pageHeading = (): HTMLElement | null => document.querySelector<HTMLElement>('main h1')

/** Where the focus goes when a dialog closes: to what opened it; where that is gone, to the heading of the page. */
export function returnFocus(opener: Element | null): HTMLElement | true {
  if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) return opener
  return pageHeading() ?? true
}
