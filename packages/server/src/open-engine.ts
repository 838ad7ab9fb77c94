/** Chooses the engine after the settings and opens it: for the server, and for a backup without one. */
import path from 'node:path'
import type { Config } from './config.ts'
import type { Capabilities, Engine } from './engine/engine.ts'
import { SIMULATED_FILE } from './engine/simulated/kept.ts'
import { makeReachedEngine } from './engine/simulated/reached.ts'
import { makeSimulatedEngine } from './engine/simulated/simulated.ts'
import type { Recipe } from './image/recipe.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import { qemuFor } from './qemu.ts'

/** What the capabilities of the engine will say, before it is opened. */
export const reachOf = ({ engine, simulatedSocket }: Config): Capabilities['reach'] =>
  engine === 'simulated' && simulatedSocket !== null ? 'any-server' : 'one-server'

export async function openEngine(config: Config, recipes: readonly Recipe[], log: Log): Promise<Engine> {
  if (config.engine === 'simulated') {
    if (config.simulatedSocket === null) return openSimulatedEngine(config)
    const engine = makeReachedEngine({ path: config.simulatedSocket, clock: systemClock })
    await engine.open()
    return engine
  }
  const { engine, clearScratch } = qemuFor(config, recipes, log)
  await clearScratch()
  await engine.open()
  return engine
}

/** The simulated engine in this process, over the data directory. */
export async function openSimulatedEngine(config: Config): Promise<Engine> {
  const engine = makeSimulatedEngine({
    clock: systemClock,
    speed: config.simulatedSpeed,
    file: path.join(config.dataDir, SIMULATED_FILE),
  })
  await engine.open()
  return engine
}
