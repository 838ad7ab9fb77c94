import { expect, type Page } from '@playwright/test'
import axe from 'axe-core'
import { beyondScreen, colourRules, nestedLiveRegions } from './page-faults.ts'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/**
 * Expects that axe finds nothing wrong with the page as it stands, in light and in dark. Rules from WCAG 2.2 A and
 * AA and axe's best practices; the message names each rule and the elements that break it. `except` are rules
 * that do not fit what is shown, by their id.
 */
export async function expectAccessible(
  page: Page,
  { except = [] }: { except?: string[] } = {},
): Promise<void> {
  const all: axe.RunOptions = { rules: Object.fromEntries(except.map((id) => [id, { enabled: false }])) }
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const found = await page.evaluate(
      async (options) => {
        const { violations } = await window.axe.run({ ...options, resultTypes: ['violations'] })
        return violations.map(
          ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((node) => `    ${node.html}`).join('\n')}`,
        )
      },
      colorScheme === 'light' ? all : { runOnly: colourRules },
    )
    expect.soft(found, `axe in ${colorScheme} mode on ${page.url()}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: null })
  expect.soft(await page.evaluate(nestedLiveRegions), `said twice on ${page.url()}`).toEqual([])
}

/**
 * Expects that nothing lies beyond the left or right edge of the screen, and that nothing scrolls sideways. A text
 * that is cut short on purpose counts as long as its box is.
 */
export async function expectFits(page: Page): Promise<void> {
  expect.soft(await page.evaluate(beyondScreen), `beyond the screen on ${page.url()}`).toEqual([])
}

/**
 * Goes through all that takes the focus, and expects to see each of it: nothing sticky may cover it, nothing may
 * keep it off the screen, and nothing may keep the focus. Gives back the names of what it met.
 */
export async function walk(page: Page, key: 'Tab' | 'ArrowDown' = 'Tab'): Promise<string[]> {
  const met: string[] = []
  let guards = 0
  for (let steps = 0; steps < 150; steps++) {
    await page.keyboard.press(key)
    const stop = await page.evaluate(async (order) => {
      const element = document.activeElement
      if (!element || element === document.body) return null
      const name = element.getAttribute('aria-label') ?? element.textContent?.trim() ?? ''
      const isGuard =
        element.getAttribute('aria-hidden') === 'true' || element.hasAttribute('data-base-ui-focus-guard')
      // All around, one is back where one began, or at a guard, which leads there.
      if ('__met' in element)
        return isGuard || element.__met === 0 ? null : { name, isGuard, keeps: true, covered: null }
      Object.assign(element, { __met: order })
      const look = () => {
        const { left, top, right, bottom } = element.getClientRects()[0] ?? element.getBoundingClientRect()
        const [x1, x2] = [Math.max(left, 0), Math.min(right, innerWidth)]
        const [y1, y2] = [Math.max(top, 0), Math.min(bottom, innerHeight)]
        const hit = x1 < x2 && y1 < y2 ? document.elementFromPoint((x1 + x2) / 2, (y1 + y2) / 2) : null
        const seen = hit && (element.contains(hit) || hit.closest('label')?.contains(element))
        return {
          hit,
          seen,
          where: `${top} to ${bottom} of ${innerHeight}, ${scrollY} of ${document.body.scrollHeight}`,
        }
      }
      let { hit, seen, where } = look()
      // A busy browser scrolls with one of its next pictures only, and a long way takes many of them.
      for (let pictures = 0; pictures < 90 && !isGuard && !seen; pictures++) {
        await new Promise(requestAnimationFrame)
        ;({ hit, seen, where } = look())
      }
      return {
        name: name || element.tagName,
        isGuard,
        keeps: false,
        covered: isGuard || seen ? null : (hit?.outerHTML.slice(0, 120) ?? `off the screen: ${where}`),
      }
    }, met.length - guards)
    // Some menus end at their last entry.
    if (!stop || (stop.keeps && key === 'ArrowDown')) break
    expect.soft(stop.keeps, `"${stop.name}" keeps the focus on ${page.url()}`).toBe(false)
    if (stop.keeps) break
    expect.soft(stop.covered, `covers "${stop.name}" on ${page.url()}`).toBeNull()
    met.push(stop.name)
    if (stop.isGuard) guards += 1
  }
  return met
}
