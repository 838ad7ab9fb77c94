/** Tests of screens: the console in Chromium, the API in the process of the tests. */
import tailwind from '@tailwindcss/vite'
import { playwright } from '@vitest/browser-playwright'
import { defineProject, type Plugin } from 'vitest/config'
import type { BrowserCommand } from 'vitest/node'
import { chromiumOptions } from '../../e2e/chromium.ts'
import type * as kit from '../server/src/in-process.test-kit.ts'

const inCI = process.env.CI !== undefined

// Only where these tests run: the others do without a server in this process.
const api = (): Promise<typeof kit> =>
  import(new URL('../server/src/in-process.test-kit.ts', import.meta.url).href)

/** What browsers asked of the origins of `servePictures`. */
const asked = new Map<string, string[]>()

/** What a test in the browser asks of its server beside the API. */
const commands = {
  openServer: (async (_, options) => (await api()).openServer(options)) satisfies BrowserCommand<
    Parameters<typeof kit.openServer>
  >,
  closeServer: (async (_, id) => (await api()).closeServer(id)) satisfies BrowserCommand<
    Parameters<typeof kit.closeServer>
  >,
  enrol: (async (_, id, name) => (await api()).enrol(id, name)) satisfies BrowserCommand<
    Parameters<typeof kit.enrol>
  >,
  signInElsewhere: (async (_, ...given) => (await api()).signInElsewhere(...given)) satisfies BrowserCommand<
    Parameters<typeof kit.signInElsewhere>
  >,
  mailedToken: (async (_, id, to) => (await api()).mailedToken(id, to)) satisfies BrowserCommand<
    Parameters<typeof kit.mailedToken>
  >,
  newPublicKey: (async () => (await api()).newPublicKey()) satisfies BrowserCommand<[]>,
  openReceiver: (async () => (await api()).openReceiver()) satisfies BrowserCommand<[]>,
  closeReceiver: (async (_, url) => (await api()).closeReceiver(url)) satisfies BrowserCommand<[url: string]>,
  setReceiver: (async (_, ...given) => (await api()).setReceiver(...given)) satisfies BrowserCommand<
    Parameters<typeof kit.setReceiver>
  >,
  firstSignature: (async (_, ...given) => (await api()).firstSignature(...given)) satisfies BrowserCommand<
    Parameters<typeof kit.firstSignature>
  >,
  servePictures: (async ({ context }, origin, pictures) => {
    asked.set(origin, [])
    await context.route(`${origin}/**`, (route) => {
      const url = route.request().url()
      asked.get(origin)?.push(url)
      const body = pictures[new URL(url).pathname]
      return route.fulfill(body ? { contentType: 'image/svg+xml', body } : { status: 404 })
    })
  }) satisfies BrowserCommand<[origin: string, pictures: Record<string, string>]>,
  askedPictures: ((_, origin) => asked.get(origin) ?? []) satisfies BrowserCommand<[origin: string]>,
}

const apiInProcess: Plugin = {
  name: 'api-in-process',
  async configureServer({ middlewares }) {
    const { answerPage } = await api()
    middlewares.use(answerPage)
  },
}

export default defineProject({
  root: import.meta.dirname,
  // A config of its own inherits nothing: without this the console has no styles.
  plugins: [tailwind(), apiInProcess],
  // Known before the first test: one that is found later has the page loaded anew in the middle of a test.
  optimizeDeps: { include: ['axe-core', 'react/jsx-runtime'] },
  // React as users have it; that of development takes half as much again of a processor.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  test: {
    name: 'screens',
    include: ['src/**/*.screen.test.ts'],
    // As in vitest.config.ts: what took two tries is told.
    retry: inCI ? 2 : 0,
    // One page for each processor.
    maxWorkers: 2,
    testTimeout: inCI ? 180_000 : 60_000,
    hookTimeout: inCI ? 180_000 : 60_000,
    expect: { poll: { timeout: inCI ? 30_000 : 10_000 } },
    browser: {
      enabled: true,
      headless: true,
      provider: playwright({
        launchOptions: chromiumOptions,
        // As the browser of the end-to-end tests.
        contextOptions: {
          locale: 'en-US',
          timezoneId: 'UTC',
          reducedMotion: 'reduce',
          permissions: ['clipboard-read', 'clipboard-write'],
        },
        actionTimeout: inCI ? 60_000 : 10_000,
      }),
      instances: [{ browser: 'chromium' }],
      viewport: { width: 1280, height: 800 },
      screenshotFailures: false,
      // As Playwright's: a text that is not there is not there as a part of another either.
      locators: { exact: false },
      commands,
    },
  },
})
