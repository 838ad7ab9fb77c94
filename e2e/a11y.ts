import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** The rules that look at colours; all others find the same in light and in dark. */
const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * Expects that axe finds nothing wrong with the page as it stands, in light and in dark. Rules from WCAG 2.2 A and
 * AA and axe's best practices; the message names each rule and the elements that break it. `except` are rules
 * that do not fit what is shown, by their id.
 */
export async function expectAccessible(
  page: Page,
  { except = [] }: { except?: string[] } = {},
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const axe = new AxeBuilder({ page })
    const rules = colorScheme === 'light' ? axe.disableRules(except) : axe.withRules(colourRules)
    const { violations } = await rules.analyze()
    const found = violations.map(
      ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((node) => `    ${node.html}`).join('\n')}`,
    )
    expect(found, `axe in ${colorScheme} mode on ${page.url()}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: null })
}
