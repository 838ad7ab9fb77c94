import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { secondsOfEnded, secondsOfProcess, secondsOfTree } from './processor.mjs'
import { run } from './run.mjs'

const busy = 'const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end);'

it('a child that has ended counts, with what it used itself', () => {
  const before = [secondsOfEnded(), secondsOfProcess(), secondsOfTree()]
  spawnSync('node', ['-e', busy])
  const after = [secondsOfEnded(), secondsOfProcess(), secondsOfTree()]
  for (const [i, seconds] of after.entries()) expect(seconds - (before[i] ?? 0)).toBeGreaterThan(0.25)
})

it('a command tells what it took, and one that begins later nothing of that', async () => {
  const { processor } = await run('node', ['-e', busy], { quiet: true })
  expect(processor).toBeGreaterThan(0.25)
  expect((await run('true', [], { quiet: true })).processor).toBeLessThan(0.25)
})
