import { defineConfig } from '@playwright/test'
import { chromiumOptions } from './chromium.ts'
import { kubeconfigOfTests } from './cluster-home.ts'
import type { WorkerOptions } from './fixtures.ts'
import type { WorldOptions } from './journeys/journey.ts'

const inCI = process.env.CI !== undefined
/** Real guests boot in them, on a host that does much else. */
const ofJourneys = { timeout: 600_000, expect: { timeout: 300_000 } }
const aside = ['**/journeys/**', 'accessibility.spec.ts', 'firefox.spec.ts']
/** `E2E_DATABASE=postgres` has everything on PostgreSQL, guests of QEMU too. */
const database: WorkerOptions['database'] = process.env.E2E_DATABASE === 'postgres' ? 'postgres' : 'sqlite'
/** What makes most use of the database: on both in each run. */
const onBoth =
  /\/(activity|dashboard|disk-snapshot|first-vm|operations|project|ssh-key|vm-pool|vm-set)\.spec\.ts$/

/** What `npm test` runs, what it leaves to `npm run test:full`, or both. */
const share = process.env.E2E_SHARE ?? 'full'

/** The journeys that also take place on a cluster, when one is named; those left out are about QEMU and its files. */
const onCluster = /\/journeys\/(groups|inside|main-job|storage)\.spec\.ts$/
const cluster = [
  {
    name: 'journeys-on-a-cluster',
    testMatch: onCluster,
    ...ofJourneys,
    use: { database, engine: 'kubevirt' as const },
  },
  // Those that do the same on every engine: the others look at what the simulated one alone can be told to do.
  {
    name: 'pages-on-a-cluster',
    testMatch: '**/*.spec.ts',
    testIgnore: aside,
    grep: /@cluster/,
    use: { database, pagesOn: 'kubevirt' as const },
  },
]
if (share !== 'fast' && kubeconfigOfTests() === undefined && process.env.TEST_WORKER_INDEX === undefined)
  console.log('SKIPPED: the journeys on a cluster, because SLIPWAY_TEST_KUBECONFIG names none')
const mainJob = '**/journeys/main-job.spec.ts'
const fast = [
  { name: 'main-job', testMatch: mainJob, ...ofJourneys, use: { database } },
  { name: 'pages', testMatch: '**/*.spec.ts', testIgnore: aside, grepInvert: /@full/, use: { database } },
]
const rest = [
  { name: 'accessibility', testMatch: 'accessibility.spec.ts', use: { database } },
  {
    name: 'journeys',
    testMatch: '**/journeys/*.spec.ts',
    testIgnore: mainJob,
    ...ofJourneys,
    use: { database },
  },
  { name: 'slow-pages', testMatch: '**/*.spec.ts', testIgnore: aside, grep: /@full/, use: { database } },
  { name: 'firefox', testMatch: 'firefox.spec.ts', use: { database } },
  { name: 'pages-on-postgres', testMatch: onBoth, use: { database: 'postgres' as const } },
]
const here = { fast, rest, full: [...rest, ...fast] }[share]

/** Each file has its own server, so tests of different files never meet. */
export default defineConfig<object, WorkerOptions & WorldOptions>({
  testDir: '.',
  // More than the two cores that CI has: half of the time they wait for guests and for what comes by itself.
  workers: 3,
  // The long ones first: at the end a worker must not wait for the other one's. Journeys need the image that the tests of
  // the engine build meanwhile.
  projects: [
    ...(process.env.E2E_ENGINE === 'kubevirt' ? [] : (here ?? [])),
    ...(kubeconfigOfTests() === undefined || share === 'fast' ? [] : cluster),
  ],
  // A landing must not hang on a lost race; what needed another try is listed as flaky, and mended.
  retries: inCI ? 2 : 0,
  snapshotPathTemplate: '{testDir}/screenshots/{arg}{ext}',
  forbidOnly: inCI,
  // A limit that is never reached costs nothing, and a machine of a CI may be several times slower than yesterday.
  timeout: inCI ? 180_000 : 60_000,
  expect: { timeout: inCI ? 30_000 : 10_000 },
  reporter: [['list']],
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    timezoneId: 'UTC',
    // The theme changes at once, so that contrast is never measured half way.
    contextOptions: { reducedMotion: 'reduce' },
    permissions: ['clipboard-read', 'clipboard-write'],
    // A picture before and after each step costs a quarter of the time. In CI nobody takes them home.
    trace: inCI ? 'on-first-retry' : 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: chromiumOptions,
  },
})
