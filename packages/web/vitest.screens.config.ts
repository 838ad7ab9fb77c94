/** Tests of screens: the console in Chromium, the API in the process of the tests. */
import { playwright } from '@vitest/browser-playwright'
import { defineProject, type Plugin } from 'vitest/config'
import type { BrowserCommand } from 'vitest/node'
import { chromiumOptions } from '../../e2e/chromium.ts'
import type * as kit from '../server/src/in-process.test-kit.ts'

const inCI = process.env.CI !== undefined

// Only where these tests run: the others do without a server in this process.
const api = (): Promise<typeof kit> =>
  import(new URL('../server/src/in-process.test-kit.ts', import.meta.url).href)

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
  mailedToken: (async (_, id, to) => (await api()).mailedToken(id, to)) satisfies BrowserCommand<
    Parameters<typeof kit.mailedToken>
  >,
  newPublicKey: (async () => (await api()).newPublicKey()) satisfies BrowserCommand<[]>,
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
  extends: './vite.config.ts',
  plugins: [apiInProcess],
  // Known before the first test: one that is found later has the page loaded anew in the middle of a test.
  optimizeDeps: { include: ['axe-core'] },
  test: {
    name: 'screens',
    include: ['src/**/*.screen.test.ts'],
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
      commands,
    },
  },
})
