import axe from 'axe-core'
import { expect } from 'vitest'

/** The rules that look at colours; all others find the same in light and in dark. */
const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * Expects that axe finds nothing wrong with the screen as it stands, in light and in dark. Rules from WCAG 2.2 A and AA
 * and axe's best practices; the message names each rule and the elements that break it. `except` are rules that do not
 * fit what is shown, by their id.
 */
export async function expectAccessible({ except = [] }: { except?: string[] } = {}): Promise<void> {
  const all: axe.RunOptions = { rules: Object.fromEntries(except.map((id) => [id, { enabled: false }])) }
  const root = document.documentElement
  const wasDark = root.classList.contains('dark')
  for (const dark of [false, true]) {
    root.classList.toggle('dark', dark)
    const { violations } = await axe.run({
      ...(dark ? { runOnly: colourRules } : all),
      resultTypes: ['violations'],
    })
    const found = violations.map(
      ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((node) => `    ${node.html}`).join('\n')}`,
    )
    expect.soft(found, `axe in ${dark ? 'dark' : 'light'} mode on ${location.pathname}`).toEqual([])
  }
  root.classList.toggle('dark', wasDark)
  expect.soft(nestedLiveRegions(), `said twice on ${location.pathname}`).toEqual([])
}

/** Live regions within others: readers say what is in them once for each. */
function nestedLiveRegions(): string[] {
  const live = ':is([role=status], [role=alert], [role=log], output, [aria-live]):not([aria-live=off])'
  return [...document.querySelectorAll(`${live} ${live}`)].map(
    (element) => (element.cloneNode() as Element).outerHTML,
  )
}

/** Whether something is cut off at the edge of a box around it. */
function isClipped(element: Element): boolean {
  for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
    if (getComputedStyle(box).overflowX !== 'visible') return true
  return false
}

/**
 * Expects that nothing lies beyond the left or right edge of the screen, and that nothing scrolls sideways. A text that
 * is cut short on purpose counts as long as its box is.
 */
export function expectFits(): void {
  const root = document.documentElement
  const edge = root.clientWidth
  const beyond = [root, ...document.body.querySelectorAll('*')].filter((element) => {
    if (element.closest('.sr-only, [popover]') || !element.checkVisibility({ visibilityProperty: true }))
      return false
    const { left, right, width } = element.getBoundingClientRect()
    const isBeyond = width > 0 && (left < -0.5 || right > edge + 0.5) && !isClipped(element)
    const scrolls =
      element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(element).overflowX)
    return isBeyond || scrolls || (element === root && element.scrollWidth > edge)
  })
  const found = beyond.map((element) => (element.cloneNode() as Element).outerHTML)
  expect.soft(found, `beyond the screen on ${location.pathname}`).toEqual([])
}
