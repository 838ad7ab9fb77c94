// `npm run test:full`: every check and test there is. With `--rest` it leaves out what `npm test` has just run, as CI does.
import { forgetReports, runToTheEnd } from './checks/closing.mjs'
import {
  builtImages,
  endToEnd,
  onCluster,
  onPostgres,
  realGuests,
  screenTests,
  shortCampaign,
  unitTests,
} from './checks/layers.mjs'
import { readings } from './checks/readings.mjs'
import { command, sideBySide } from './checks/step.mjs'
import { prepareTests } from './setup/prepare-tests.mjs'
import { main } from './setup/run.mjs'

const share = process.argv.includes('--rest') ? 'rest' : 'full'

const whatRan = command('catalogue by what ran', 'node', 'scripts/catalogue.mjs', '--ran')
/** Outside of CI a row that no test held, for want of a tool, is told and no failure. */
const holding = {
  ...whatRan,
  async run() {
    const outcome = await whatRan.run()
    if (outcome.ok && outcome.output) console.log(outcome.output.trimEnd())
    return outcome
  },
}

await main(async () => {
  await prepareTests()
  forgetReports('rest', 'full', ...(share === 'full' ? ['fast'] : []))
  await runToTheEnd([
    sideBySide(
      [realGuests(share)],
      [endToEnd(share)],
      [...(share === 'full' ? readings : []), onCluster(share), onPostgres(share)],
    ),
    // Guests of whole Debians do not come up in minutes behind everything else.
    sideBySide(
      [shortCampaign(share), unitTests(share)],
      // `npm test` has run all of them.
      share === 'full' ? [screenTests(share)] : [],
      [builtImages(share)],
    ),
    holding,
  ])
})
