/**
 * `npm run simulated-host`: holds a simulated world and serves it at a socket, to all servers that are started with
 * `SLIPWAY_SIMULATED_SOCKET`. It has a data directory of its own, in which the world outlives it.
 */
import path from 'node:path'
import { readConfig } from './config.ts'
import { serveEngine } from './engine/simulated/served.ts'
import { systemClock } from './lib/clock.ts'
import { openDataDirectory } from './lib/data-directory.ts'
import { makeLog } from './lib/log.ts'
import { ownDirectory } from './lib/own-directory.ts'
import { watchUncaught } from './lib/uncaught.ts'
import { openSimulatedEngine } from './open-engine.ts'

async function main(): Promise<void> {
  const config = readConfig()
  const log = makeLog(config.logLevel)
  watchUncaught(log, () => process.exit(1))
  for (const problem of await openDataDirectory(config.dataDir)) console.error(problem)
  const giveUpDirectory = await ownDirectory(config.dataDir)
  const engine = await openSimulatedEngine(config)
  const socket = config.simulatedSocket ?? path.join(config.dataDir, 'simulated.sock')
  const stopServing = await serveEngine({ engine, path: socket, clock: systemClock, log })

  let isEnding = false
  async function end(signal: string): Promise<void> {
    if (isEnding) return
    isEnding = true
    console.log(`${signal}: shutting down. The simulated machines are kept in ${config.dataDir}.`)
    await stopServing()
    await engine.close()
    await giveUpDirectory()
    process.exit(0)
  }
  process.on('SIGINT', () => void end('SIGINT'))
  process.on('SIGTERM', () => void end('SIGTERM'))
  console.log(`The simulated host is ready at ${socket}`)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
