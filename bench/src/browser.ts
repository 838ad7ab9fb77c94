import { type Browser, type BrowserContext, chromium } from '@playwright/test'
import { chromiumOptions } from '@slipway/e2e/chromium'
import type { Server } from '@slipway/e2e/server'
import type { Person } from './person.ts'

/** The browser of the end-to-end tests. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch(chromiumOptions)
}

/** A context with an empty cache, in which somebody is signed in. */
export async function contextOf(browser: Browser, server: Server, person: Person): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const [name = '', value = ''] = person.cookie.split('=')
  await context.addCookies([{ name, value, url: server.url }])
  return context
}
