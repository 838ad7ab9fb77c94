// `npm run doctor`: what this machine, or the cluster of SLIPWAY_ENGINE=kubevirt, can do for Slipway, and what helps where it
// cannot. On a cluster `-- --try` makes and removes a tiny VM.
import { findings } from './doctor/findings.mjs'
import { main } from './setup/run.mjs'

const signs = { good: 'ok', note: 'note', bad: 'PROBLEM' }

await main(async () => {
  let bad = 0
  for await (const { state, name, text, help } of findings({ tries: process.argv.includes('--try') })) {
    console.log(`${signs[state].padEnd(8)} ${name.padEnd(20)} ${text}`)
    if (help) console.log(`${''.padEnd(30)}→ ${help}`)
    if (state === 'bad') bad++
  }
  console.log(bad === 0 ? '\nNothing that is needed is missing.' : `\nProblems: ${bad}`)
  process.exitCode = bad === 0 ? 0 : 1
})
