// `npm test`: sets up what a fresh clone lacks, then runs every check and test there is: the quick ones, those with
// real guests under QEMU, and those in a browser. A table says how long each part took; the last line counts them all.
import { onCluster, toldOfCluster } from './checks/cluster.mjs'
import { readings, screenTests, unitTests } from './checks/quick.mjs'
import { playwright, vitest } from './checks/runners.mjs'
import { command, dearestOf, runSteps, sideBySide, tableOf, told, troublesOf } from './checks/step.mjs'
import { prepare } from './setup/prepare.mjs'
import { main } from './setup/run.mjs'
import {
  backupTools,
  bootLoaderTools,
  chromium,
  containerTools,
  firefox,
  firewallTools,
  postgresql,
  trySystemPackages,
  wayOutOfUsers,
} from './setup/system-packages.mjs'

/** As the server's own guests have it: tests that only calculate would leave those beside them a third of a processor. */
const asGuests = { niceness: 5 }

const shortCampaign = vitest('a short campaign', {
  args: ['--project=round'],
  label: 'campaign',
  ...asGuests,
})

// In CI a machine without QEMU must fail the tests of real guests, not skip them; likewise those of container images.
const env = process.env.CI ? { SLIPWAY_REQUIRE_QEMU: '1' } : {}
const realGuests = vitest('tests with real guests', { args: ['--project=qemu'], env, label: 'guests' })

const builtImages = vitest('images that are built', { args: ['--project=images'], env, label: 'images' })

const whatRan = command('catalogue by what ran', 'node', 'scripts/catalogue.mjs', '--ran')
const holding = {
  ...whatRan,
  async run() {
    const outcome = await whatRan.run()
    // Outside of CI a row that nothing held is no failure, but it is told.
    if (outcome.ok && outcome.output) console.log(outcome.output.trimEnd())
    return outcome
  },
}

const onPostgres = vitest('tests on PostgreSQL', {
  args: ['--project=postgres'],
  label: 'postgres',
  ...asGuests,
})

const endToEnd = playwright('end-to-end tests', { label: 'e2e' })

await main(async () => {
  const browser = process.env.CHROMIUM ? [] : [chromium]
  const ofTests = process.env.CI
    ? [...backupTools, ...containerTools, ...bootLoaderTools, ...firewallTools, wayOutOfUsers]
    : []
  await prepare({ morePackages: [...browser, postgresql, ...ofTests] })
  if (!process.env.FIREFOX) await trySystemPackages([firefox])
  // Each lane waits for about a third of its time, for guests, downloads and pages; the others use that. Real guests
  // come first: they build the image that the journeys boot, too. Those on a cluster wait most of the time.
  const first = sideBySide([realGuests], [endToEnd], [...readings, onCluster])
  // Whole Debians come when less wants the processor: behind all others a guest of theirs did not come up in minutes.
  const second = sideBySide([screenTests, shortCampaign, unitTests(asGuests)], [onPostgres], [builtImages])
  const steps = [first, second, holding]
  const { ok, counts, parts } = await runSteps(steps, { untilFailure: false })
  const troubles = troublesOf(parts)
  console.log(`\nWhat took most of a processor, without guests of QEMU:\n${dearestOf(parts)}`)
  console.log(`\n${tableOf(parts)}\n${troubles && `\n${troubles}\n`}`)
  console.log(`${toldOfCluster(parts, process.env)}\n${told(counts)}`)
  if (!ok) process.exitCode = 1
})
