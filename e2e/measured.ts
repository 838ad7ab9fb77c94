/** Playwright's test, which notes how much of a processor each took: `npm test` tells the dearest ones. */
import { test as base } from '@playwright/test'
import { secondsOfTree } from '../scripts/setup/processor.mjs'

export const test = base.extend<{ cost: undefined }>({
  cost: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads here which fixtures it takes
    async ({}, use, { annotations }) => {
      const before = secondsOfTree()
      await use(undefined)
      annotations.push({ type: 'processor', description: (secondsOfTree() - before).toFixed(2) })
    },
    { auto: true },
  ],
})
