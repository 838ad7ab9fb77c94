// `npm run check`: what every change has to pass, in under three minutes. Stops at the first failure.
import { unitTests } from './checks/layers.mjs'
import { readings } from './checks/readings.mjs'
import { runSteps } from './checks/step.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import { main, Stop } from './setup/run.mjs'

await main(async () => {
  await ensureNpmPackages()
  const { ok } = await runSteps([...readings, unitTests('fast')], { untilFailure: true })
  if (!ok) throw new Stop('The check failed; what to mend is above.')
})
