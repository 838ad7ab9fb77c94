import { defineConfig } from '@playwright/test'
import { chromiumOptions } from './chromium.ts'
import type { WorkerOptions } from './fixtures.ts'

const aside = ['**/journeys/**', 'accessibility.spec.ts']
/** What makes most use of the database: on both in each run. `E2E_DATABASE=postgres` has all pages on PostgreSQL. */
const onBoth =
  /\/(activity|dashboard|disk-snapshot|first-vm|operations|project|ssh-key|vm-pool|vm-set)\.spec\.ts$/

/** Each file has its own server, so tests of different files never meet. */
export default defineConfig<object, WorkerOptions>({
  testDir: '.',
  // More than the two cores that CI has: half of the time they wait for guests and for what comes by itself.
  workers: 3,
  // The long ones first: at the end a worker must not wait for the other one's. Journeys need the image that the tests of
  // the engine build meanwhile.
  projects: [
    { name: 'accessibility', testMatch: 'accessibility.spec.ts' },
    { name: 'journeys', testMatch: '**/journeys/*.spec.ts' },
    {
      name: 'pages',
      testMatch: '**/*.spec.ts',
      testIgnore: aside,
      use: { database: process.env.E2E_DATABASE === 'postgres' ? 'postgres' : 'sqlite' },
    },
    { name: 'pages-on-postgres', testMatch: onBoth, use: { database: 'postgres' } },
  ],
  // A landing must not hang on a lost race; what needed another try is listed as flaky, and mended.
  retries: process.env.CI === undefined ? 0 : 2,
  snapshotPathTemplate: '{testDir}/screenshots/{arg}{ext}',
  forbidOnly: process.env.CI !== undefined,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    timezoneId: 'UTC',
    // The theme changes at once, so that contrast is never measured half way.
    contextOptions: { reducedMotion: 'reduce' },
    permissions: ['clipboard-read', 'clipboard-write'],
    // A picture before and after each step costs a quarter of the time. In CI nobody takes them home.
    trace: process.env.CI === undefined ? 'retain-on-failure' : 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: chromiumOptions,
  },
})
