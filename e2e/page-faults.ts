/**
 * What is wrong with a page as it stands, beside what axe finds. The functions run in the page: Playwright hands them over
 * as text, so each stands alone.
 */

/** The rules of axe that look at colours; all others find the same in light and in dark. */
export const colourRules = ['color-contrast', 'link-in-text-block']

/** Live regions within others: readers say what is in them once for each. */
export function nestedLiveRegions(): string[] {
  const live = ':is([role=status], [role=alert], [role=log], output, [aria-live]):not([aria-live=off])'
  return [...document.querySelectorAll(`${live} ${live}`)].map(
    (element) => (element.cloneNode() as Element).outerHTML,
  )
}

/**
 * What lies beyond the left or right edge of the screen or scrolls sideways. A text that is cut short on purpose is left
 * out as long as its box fits.
 */
export function beyondScreen(): string[] {
  const root = document.documentElement
  const edge = root.clientWidth
  const isClipped = (element: Element) => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== 'visible') return true
    return false
  }
  const found = [root, ...document.body.querySelectorAll('*')].filter((element) => {
    if (element.closest('.sr-only, [popover]') || !element.checkVisibility({ visibilityProperty: true }))
      return false
    const { left, right, width } = element.getBoundingClientRect()
    const isBeyond = width > 0 && (left < -0.5 || right > edge + 0.5) && !isClipped(element)
    const scrolls =
      element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(element).overflowX)
    return isBeyond || scrolls || (element === root && element.scrollWidth > edge)
  })
  return found.map((element) => (element.cloneNode() as Element).outerHTML)
}
