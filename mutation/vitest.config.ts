import { defineConfig } from 'vitest/config'

/** The tests that have to notice: those of pure logic alone. What a whole server or a file of the documents says is no proof of a rule. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: [
      'packages/contract/src/**/*.test.ts',
      'packages/server/src/**/*.plan.test.ts',
      'packages/server/src/vm-group/autoscaler.test.ts',
      'packages/server/src/backup/retention.test.ts',
      'packages/server/src/snapshot-schedule/{due,missed}.test.ts',
      'packages/web/src/api/order.test.ts',
      'packages/web/src/features/vm/vm-order.test.ts',
      'packages/web/src/ui/row-places.test.ts',
    ],
    exclude: ['**/openapi.test.ts'],
    tags: [{ name: 'long', timeout: 600_000 }],
    testTimeout: 60_000,
  },
})
