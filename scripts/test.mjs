// `npm test`: sets up what a fresh clone lacks, then runs every check and test there is: the quick ones, those with
// real guests under QEMU, and those in a browser. A table says how long each part took; the last line counts them all.
import { readings, unitTests } from './checks/quick.mjs'
import { playwright, vitest } from './checks/runners.mjs'
import { runSteps, sideBySide, tableOf, told } from './checks/step.mjs'
import { prepare } from './setup/prepare.mjs'
import { main } from './setup/run.mjs'
import {
  bootLoaderTools,
  chromium,
  containerTools,
  firefox,
  trySystemPackages,
} from './setup/system-packages.mjs'

const shortCampaign = vitest('a short campaign', { args: ['--project=round'], label: 'campaign' })

// In CI a machine without QEMU must fail the tests of real guests, not skip them; likewise those of container images.
const realGuests = vitest('tests with real guests', {
  args: ['--project=qemu'],
  env: process.env.CI ? { SLIPWAY_REQUIRE_QEMU: '1' } : {},
  label: 'guests',
})

const endToEnd = playwright('end-to-end tests', { label: 'e2e' })

await main(async () => {
  const browser = process.env.CHROMIUM ? [] : [chromium]
  const ofTests = process.env.CI ? [...containerTools, ...bootLoaderTools] : []
  await prepare({ morePackages: [...browser, ...ofTests] })
  if (!process.env.FIREFOX) await trySystemPackages([firefox])
  // Real guests boot, copy and wait on about one processor core: the other parts use the rest meanwhile.
  const steps = [sideBySide([realGuests], [...readings, unitTests, shortCampaign, endToEnd])]
  const { ok, counts, parts } = await runSteps(steps, { untilFailure: false })
  console.log(`\n${tableOf(parts)}\n\n${told(counts)}`)
  if (!ok) process.exitCode = 1
})
