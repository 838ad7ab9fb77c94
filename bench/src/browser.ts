import { type Browser, type BrowserContext, chromium } from '@playwright/test'
import type { Server } from '@slipway/e2e/server'
import type { Person } from './person.ts'

/** Debian's Chromium, without anything that would talk to the world. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A context with an empty cache, in which somebody is signed in. */
export async function contextOf(browser: Browser, server: Server, person: Person): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const [name = '', value = ''] = person.cookie.split('=')
  await context.addCookies([{ name, value, url: server.url }])
  return context
}
