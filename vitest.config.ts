import { defineConfig } from 'vitest/config'

const realGuests = 'src/**/*.qemu.test.ts'
/** Those that put a whole Debian together: minutes of downloading, unpacking and compiling, and slow starts. */
const builtImages = ['src/images.qemu.test.ts', 'src/image/foreign.qemu.test.ts']
/** A lane of its own: they wait for a cluster most of their time, where there is one at all. */
const onCluster = ['src/**/*.cluster.test.ts', 'src/doctor-cluster.test.ts']
/** They store nothing in the database, or do it where it is always a file. */
const withoutDatabase = [
  'src/**/*.plan.test.ts',
  'src/{deploy,engine,image,lib,mail}/**',
  'src/gateway/wire/**',
  'src/{config,config.oidc,data-directory,memory,simulated-host}.test.ts',
]
/** About a database that is a file. */
const ofFiles = ['src/db/{sqlite,full-disk,write-ahead-log}.test.ts', 'src/orphans.test.ts']
const shortRound = 'src/{round,kills.cluster}.test.ts'
const inCI = process.env.CI !== undefined
// They share the processor with real guests: what takes a second alone may take many. A machine of a CI may be shared
// with others as well, several times slower than yesterday, and a limit that is never reached costs nothing.
const patience = {
  testTimeout: inCI ? 180_000 : 60_000,
  hookTimeout: inCI ? 180_000 : 60_000,
  expect: { poll: { timeout: inCI ? 90_000 : 30_000 } },
}

// They kill and starve real processes, or wait for a cluster, at moments that a busy host shifts; what took two tries is told.
const retry = inCI ? 2 : 0
// Guests want the processor for themselves: one test file at a time, and time to boot.
const guests = {
  fileParallelism: false,
  retry,
  // Said here for all: a file that waits for less has to say why.
  expect: { poll: { timeout: inCI ? 300_000 : 120_000 } },
  testTimeout: inCI ? 600_000 : 300_000,
  hookTimeout: 600_000,
}

/** Notes what each test takes of a processor. */
const setupFiles = [`${import.meta.dirname}/scripts/checks/cost-of-test.mjs`]

export default defineConfig({
  test: {
    tags: [
      { name: 'full', description: 'left out by `npm test`, run by `npm run test:full`' },
      { name: 'both-databases', description: 'on PostgreSQL in `npm test`, too' },
      { name: 'long', description: 'minutes behind everything else', timeout: inCI ? 1_200_000 : 600_000 },
    ],
    projects: [
      // Pure functions keep nothing, so their files share a process: starting one takes longer than most of them.
      {
        test: {
          name: 'contract',
          root: 'packages/contract',
          include: ['src/**/*.test.ts'],
          isolate: false,
          ...patience,
        },
      },
      // To load the whole server takes longer than most files, so they share a process too.
      {
        test: {
          name: 'server',
          root: 'packages/server',
          include: ['src/**/*.test.ts'],
          exclude: [realGuests, ...onCluster],
          isolate: false,
          ...patience,
        },
      },
      // What stores something, on PostgreSQL as well.
      {
        test: {
          name: 'postgres',
          root: 'packages/server',
          include: ['src/**/*.test.ts'],
          exclude: [realGuests, ...onCluster, ...withoutDatabase, ...ofFiles],
          globalSetup: `${import.meta.dirname}/packages/server/src/db/cluster.test-kit.ts`,
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'cluster',
          root: 'packages/server',
          include: onCluster,
          ...patience,
          testTimeout: 180_000,
          retry,
        },
      },
      {
        test: {
          name: 'qemu',
          root: 'packages/server',
          include: [realGuests],
          exclude: builtImages,
          ...guests,
        },
      },
      // They leave the processor to all others, so nothing of them is quick.
      {
        test: {
          name: 'images',
          root: 'packages/server',
          include: builtImages,
          ...guests,
          // 250 s on a quiet machine; behind all others on a busy one it once needed more than 900.
          testTimeout: 1_800_000,
          hookTimeout: 1_500_000,
        },
      },
      { test: { name: 'client', root: 'packages/client', include: ['src/**/*.test.ts'], ...patience } },
      { test: { name: 'cli', root: 'packages/cli', include: ['src/**/*.test.ts'], ...patience } },
      // As those of the contract. A file that leaves something in a module (a user, an address) resets the modules at its end.
      {
        test: {
          name: 'web',
          root: 'packages/web',
          include: ['{src,build}/**/*.test.ts'],
          exclude: ['src/**/*.screen.test.ts'],
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'campaign',
          root: 'campaign',
          include: ['src/**/*.test.ts'],
          exclude: [shortRound],
          ...patience,
        },
      },
      // A server of its own that is killed again and again, for a minute. What happens between two faults is up to the
      // host: what took two tries is told, and has to be found with `npm run campaign`.
      {
        test: {
          name: 'round',
          root: 'campaign',
          include: [shortRound],
          ...patience,
          retry,
          testTimeout: 600_000,
        },
      },
      { test: { name: 'e2e', root: 'e2e', include: ['**/*.test.ts'], ...patience } },
      { test: { name: 'scripts', root: 'scripts', include: ['**/*.test.mjs'], ...patience } },
    ]
      .map(({ test }) => ({ test: { ...test, setupFiles } }))
      .concat(['packages/web/vitest.screens.config.ts']),
  },
})
