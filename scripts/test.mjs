// `npm test`: sets up what a fresh clone lacks, then runs every check and test there is: the quick ones, those with
// real guests under QEMU, and those in a browser. The last line counts them all.
import { quickSteps } from './checks/quick.mjs'
import { playwright, vitest } from './checks/runners.mjs'
import { runSteps, told } from './checks/step.mjs'
import { prepare } from './setup/prepare.mjs'
import { main } from './setup/run.mjs'
import { bootLoaderTools, chromium, containerTools } from './setup/system-packages.mjs'

// In CI a machine without QEMU must fail the tests of real guests, not skip them; likewise those of container images.
const withGuests = {
  args: ['--project=qemu'],
  env: process.env.CI ? { SLIPWAY_REQUIRE_QEMU: '1' } : {},
  show: true,
}

await main(async () => {
  const browser = process.env.CHROMIUM ? [] : [chromium]
  const ofTests = process.env.CI ? [...containerTools, ...bootLoaderTools] : []
  await prepare({ morePackages: [...browser, ...ofTests] })
  const steps = [
    ...quickSteps,
    vitest('a short campaign', { args: ['--project=round'], show: true }),
    vitest('tests with real guests', withGuests),
    playwright('end-to-end tests'),
  ]
  const { ok, counts } = await runSteps(steps, { untilFailure: false })
  console.log(`\n${told(counts)}`)
  if (!ok) process.exitCode = 1
})
