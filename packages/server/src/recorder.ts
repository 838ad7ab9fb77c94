/**
 * Keeps what the consoles of an installation print on a cluster, and serves it to its servers: the program that stands
 * beside them where SLIPWAY_RECORDER_URL is set. One at a time: a serial console has one reader.
 */
import { homedir } from 'node:os'
import path from 'node:path'
import { readConfig } from './config.ts'
import { findCluster } from './engine/kubevirt/find-cluster.ts'
import { makeKubeClient } from './engine/kubevirt/kube/kube-client.ts'
import { makeNames } from './engine/kubevirt/names.ts'
import { makeRecordedMirror } from './engine/kubevirt/recorded-mirror.ts'
import { makeRecorder } from './engine/kubevirt/recorder.ts'
import { serveRecorder } from './engine/kubevirt/recorder-served.ts'
import { systemClock } from './lib/clock.ts'
import { openDataDirectory } from './lib/data-directory.ts'
import { makeLog } from './lib/log.ts'
import { ownDirectory } from './lib/own-directory.ts'
import { watchUncaught } from './lib/uncaught.ts'

async function main(): Promise<void> {
  const { recorder: place, kube, dataDir, logLevel } = readConfig()
  const { token, host, port } = place
  if (token === null) throw new Error('Set SLIPWAY_RECORDER_TOKEN to a secret of at least 16 characters.')
  const log = makeLog(logLevel)
  watchUncaught(log, () => process.exit(1))
  for (const problem of await openDataDirectory(dataDir)) console.error(problem)
  const giveUpDirectory = await ownDirectory(dataDir)
  const clock = systemClock
  const client = makeKubeClient(await findCluster({ ...kube, home: homedir }, clock), { clock })
  const mirror = makeRecordedMirror({ client, names: makeNames(kube.prefix), clock, log })
  await mirror.synced
  const recorder = await makeRecorder({ client, mirror, clock, log }, path.join(dataDir, 'consoles'))
  const served = await serveRecorder({ recorder, token, host, port, log })

  let isEnding = false
  async function end(signal: string): Promise<void> {
    if (isEnding) return
    isEnding = true
    console.log(`${signal}: shutting down. What consoles printed is kept in ${dataDir}.`)
    await served.close()
    await recorder.close()
    await mirror.close()
    client.close()
    await giveUpDirectory()
    process.exit(0)
  }
  process.on('SIGINT', () => void end('SIGINT'))
  process.on('SIGTERM', () => void end('SIGTERM'))
  console.log(`The recorder is ready at port ${served.port}`)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
