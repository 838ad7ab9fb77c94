import { type Locator, page } from 'vitest/browser'

/** A script that prints something and fails. */
export const script = '#!/bin/sh\necho Spinning up\nexit 3\n'

export const startScriptHeading = page.getByRole('heading', { name: 'Start script' })

/** What the page of a VM says of its start script, once it does. */
export async function startScriptSection(): Promise<Locator> {
  const heading = await startScriptHeading.findElement()
  // By a mark: `elementLocator` would look for what the section says now, and that changes.
  heading.closest('section')?.setAttribute('data-testid', 'start-script')
  return page.getByTestId('start-script')
}
