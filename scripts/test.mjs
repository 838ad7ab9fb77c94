// `npm test`: sets up what a fresh clone lacks, then runs tests of every layer in a quarter of an hour; what takes longer,
// such as kills, whole Debians and the second database, is left to `npm run test:full`. A table says what each part cost.
import { forgetReports, runToTheEnd } from './checks/closing.mjs'
import { endToEnd, onCluster, onPostgres, realGuests, screenTests, unitTests } from './checks/layers.mjs'
import { readings } from './checks/readings.mjs'
import { sideBySide } from './checks/step.mjs'
import { prepareTests } from './setup/prepare-tests.mjs'
import { main } from './setup/run.mjs'

await main(async () => {
  await prepareTests()
  forgetReports('fast', 'rest', 'full')
  await runToTheEnd([
    sideBySide(
      [realGuests('fast'), onPostgres('fast')],
      [endToEnd('fast'), screenTests('fast')],
      [...readings, onCluster('fast'), unitTests('fast')],
    ),
  ])
})
