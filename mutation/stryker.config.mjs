/** `npm run mutation`: changes pure logic in small ways, one at a time, and counts those that no test of it notices. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', `${import.meta.dirname}/no-sentences.mjs`],
  ignorers: ['sentences'],
  vitest: { configFile: 'mutation/vitest.config.ts', related: false },
  mutate: [
    'packages/contract/src/*.rules.ts',
    'packages/server/src/**/*.plan.ts',
    'packages/server/src/vm-group/autoscaler.ts',
    'packages/server/src/backup/retention.ts',
    'packages/server/src/snapshot-schedule/{due,missed}.ts',
    'packages/web/src/api/order.ts',
    'packages/web/src/features/vm/vm-order.ts',
    'packages/web/src/ui/row-places.ts',
  ],
  coverageAnalysis: 'perTest',
  // Stryker reads them by TypeScript's older API.
  tsconfigFile: 'none',
  ignorePatterns: ['data', 'images', '.cache'],
  tempDirName: '.cache/mutation',
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: '.cache/mutation.json' },
  thresholds: { break: 90 },
  concurrency: 2,
}
