import { defineConfig } from 'vitest/config'

const realGuests = 'src/**/*.qemu.test.ts'
const shortRound = 'src/round.test.ts'

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', root: 'packages/contract', include: ['src/**/*.test.ts'] } },
      {
        test: {
          name: 'server',
          root: 'packages/server',
          include: ['src/**/*.test.ts'],
          exclude: [realGuests],
          testTimeout: 20_000,
        },
      },
      // Guests want the processor for themselves: one test file at a time, and time to boot.
      {
        test: {
          name: 'qemu',
          root: 'packages/server',
          include: [realGuests],
          fileParallelism: false,
          // They kill and starve real processes at moments that a busy host shifts; what took two tries is told.
          retry: process.env.CI === undefined ? 0 : 1,
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
      { test: { name: 'web', root: 'packages/web', include: ['{src,build}/**/*.test.ts'] } },
      { test: { name: 'campaign', root: 'campaign', include: ['src/**/*.test.ts'], exclude: [shortRound] } },
      // A server of its own that is killed again and again, for a minute. What happens between two faults is up to the
      // host: what took two tries is told, and has to be found with `npm run campaign`.
      {
        test: {
          name: 'round',
          root: 'campaign',
          include: [shortRound],
          retry: process.env.CI === undefined ? 0 : 2,
          testTimeout: 600_000,
        },
      },
      { test: { name: 'scripts', root: 'scripts', include: ['**/*.test.mjs'] } },
    ],
  },
})
