import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', root: 'packages/contract', include: ['src/**/*.test.ts'] } },
      { test: { name: 'server', root: 'packages/server', include: ['src/**/*.test.ts'], testTimeout: 20_000 } },
      { test: { name: 'web', root: 'packages/web', include: ['src/**/*.test.ts'] } },
      { test: { name: 'scripts', root: 'scripts', include: ['*.test.mjs'] } },
    ],
  },
})
