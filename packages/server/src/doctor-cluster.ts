/**
 * What `npm run doctor` says of the cluster of SLIPWAY_ENGINE=kubevirt: a finding per line, as JSON. It needs the
 * installed packages, so it is a program of the server that the script runs. `--try` makes and removes a tiny VM.
 */
import { homedir } from 'node:os'
import { readConfig } from './config.ts'
import { examine } from './engine/kubevirt/doctor.ts'
import { findCluster } from './engine/kubevirt/find-cluster.ts'
import { makeKubeClient } from './engine/kubevirt/kube/kube-client.ts'
import { tryCluster } from './engine/kubevirt/trial.ts'
import { systemClock } from './lib/clock.ts'
import type { Finding } from './lib/finding.ts'

const say = (finding: Finding) => console.log(JSON.stringify(finding))

async function main(): Promise<void> {
  const { kube } = readConfig()
  const cluster = await findCluster({ ...kube, home: homedir }, systemClock)
  const client = makeKubeClient(cluster, { clock: systemClock })
  // Clocks and quiet connections do not keep a program alive, and a trial has to come to its end.
  const alive = setInterval(() => {}, 2 ** 30)
  const ends = new AbortController()
  process.once('SIGINT', () => ends.abort())
  process.once('SIGTERM', () => ends.abort())
  const examined = { client, ...kube }
  let isReached = false
  for await (const finding of examine(examined)) {
    isReached ||= finding.state === 'good'
    say(finding)
  }
  if (isReached && process.argv.includes('--try'))
    for await (const finding of tryCluster({ ...examined, clock: systemClock, signal: ends.signal }))
      say(finding)
  client.close()
  clearInterval(alive)
}

main().catch((error: unknown) => {
  say({
    state: 'bad',
    name: 'cluster',
    text: error instanceof Error ? error.message : String(error),
    help: 'set SLIPWAY_KUBECONFIG to the kubeconfig file of the cluster',
  })
})
