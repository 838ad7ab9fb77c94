import { spawnSync } from 'node:child_process'
import { describe, test } from 'vitest'
import { outsideEnvironment } from './command.ts'

/** Tests that take programs of the host, or other files by their path: skipped where one is missing, except in CI. */
export function describeWith(programs: readonly string[], name: string, tests: () => void): void {
  const env = outsideEnvironment()
  const missing = programs.filter(
    (program) =>
      spawnSync('sh', ['-c', '[ -e "$1" ] || command -v "$1"', 'sh', program], { env }).status !== 0,
  )
  if (missing.length === 0) {
    describe(name, tests)
    return
  }
  const mustRun = process.env.CI === 'true' || process.env.SLIPWAY_REQUIRE_QEMU === '1'
  describe(name, () => {
    test.skipIf(!mustRun)('can be tested here', () => {
      throw new Error(`Not installed: ${missing.join(', ')}`)
    })
  })
  console.log(`SKIPPED: "${name}", because ${missing.join(', ')} is not installed`)
}
