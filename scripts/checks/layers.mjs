// The layers of tests. Each takes a share: `fast` is what `npm test` runs, `rest` what it leaves to the full run, `full` both.
import { playwright, vitest } from './runners.mjs'

/** Behind guests, as on the host of a user: pure calculations would leave them a third of a processor. */
const behindGuests = { niceness: 5 }

// In CI a missing QEMU fails the tests with real guests, and a missing tool those of container images.
const env = process.env.CI ? { SLIPWAY_REQUIRE_QEMU: '1' } : {}

/** Tests without guests, browsers or a cluster, on all processors. @param {Share} share */
export const unitTests = (share) =>
  vitest('unit and API tests', {
    share,
    ...behindGuests,
    workers: '100%',
    args: ['qemu', 'images', 'round', 'postgres', 'cluster', 'screens*'].map((name) => `--project=!${name}`),
  })

/** The API tests on PostgreSQL; `npm test` runs a tenth of them. @param {Share} share */
export const onPostgres = (share) =>
  vitest('API tests on PostgreSQL', {
    share,
    tags: { fast: 'both-databases', rest: '!both-databases' },
    ...behindGuests,
    workers: '100%',
    args: ['--project=postgres'],
    label: 'postgres',
  })

/** The screens of the console in Chromium, against the API in the process of the tests: all of them in `npm test`. @param {'fast' | 'full'} share */
export const screenTests = (share) =>
  vitest('tests of screens', {
    share,
    tags: { fast: null, rest: null },
    args: ['--project=screens*'],
    label: 'screens',
  })

/** Tests with guests of QEMU. @param {Share} share */
export const realGuests = (share) =>
  vitest('tests with real guests', { share, args: ['--project=qemu'], env, label: 'guests' })

/** Whole Debian images, built and booted. @param {Share} share */
export const builtImages = (share) =>
  vitest('built images', { share, args: ['--project=images'], env, label: 'images' })

/** A campaign of a minute and a half. @param {Share} share */
export const shortCampaign = (share) =>
  vitest('a short campaign', { share, ...behindGuests, args: ['--project=round'], label: 'campaign' })

/** Tests on a cluster; without one each file says so and skips. @param {Share} share */
export const onCluster = (share) =>
  vitest('tests on a cluster', { share, args: ['--project=cluster'], label: 'cluster' })

/** Journeys and pages in a browser. @param {Share} share */
export const endToEnd = (share) => playwright('end-to-end tests', { share, label: 'e2e' })

/** @typedef {import('./runners.mjs').Share} Share */
