import { type Locator, page } from 'vitest/browser'

/** A script that prints something and fails. */
export const script = '#!/bin/sh\necho Spinning up\nexit 3\n'

export const startScriptHeading = page.getByRole('heading', { name: 'Start script' })

/** What the page of a VM says of its start script, once it does. */
export async function startScriptSection(): Promise<Locator> {
  const heading = await startScriptHeading.findElement()
  return page.elementLocator(heading.closest('section') as Element)
}
