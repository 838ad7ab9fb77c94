import { beyondScreen, colourRules, nestedLiveRegions } from '@slipway/e2e/page-faults'
import axe from 'axe-core'
import { expect } from 'vitest'

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

/** Expects that nothing lies beyond the left or right edge of the screen, and that nothing scrolls sideways. */
export function expectFits(): void {
  expect.soft(beyondScreen(), `beyond the screen on ${location.pathname}`).toEqual([])
}
