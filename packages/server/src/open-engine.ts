/** Chooses the engine after the settings and opens it: for the server, and for a backup without one. */
import path from 'node:path'
import type { LimitName } from '@slipway/contract'
import type { Config } from './config.ts'
import type { Capabilities, Engine, Limits } from './engine/engine.ts'
import { clusterLimits } from './engine/limits.ts'
import { SIMULATED_FILE } from './engine/simulated/kept.ts'
import { makeReachedEngine } from './engine/simulated/reached.ts'
import { makeSimulatedEngine } from './engine/simulated/simulated.ts'
import type { Recipe } from './image/recipe.ts'
import type { Ballast } from './lib/ballast.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import { withRoom } from './lib/way-out.ts'
import { qemuFor } from './qemu.ts'

/**
 * What the capabilities of the engine will say, before it is opened. On a cluster a server without a recorder beside it
 * records consoles itself, in its own data directory: no other server can take over with them.
 */
export const reachOf = ({ engine, simulatedSocket, recorder }: Config): Capabilities['reach'] => {
  const isForAll =
    (engine === 'simulated' && simulatedSocket !== null) || (engine === 'kubevirt' && recorder.url !== null)
  return isForAll ? 'any-server' : 'one-server'
}

export async function openEngine(
  config: Config,
  recipes: readonly Recipe[],
  log: Log,
  ballast: Pick<Ballast, 'giveUp'> | null = null,
): Promise<Engine> {
  if (config.engine === 'simulated') {
    if (config.simulatedSocket === null) return openSimulatedEngine(config)
    const engine = makeReachedEngine({ path: config.simulatedSocket, clock: systemClock })
    await engine.open()
    return engine
  }
  if (config.engine === 'kubevirt') {
    // What is only for clusters costs memory that nobody else has to give.
    const { kubevirtFor } = await import('./kubevirt.ts')
    const engine = await kubevirtFor(config, recipes, log)
    await engine.open()
    return engine
  }
  const { engine, clearScratch } = qemuFor(config, recipes, log)
  await clearScratch()
  await engine.open()
  return ballast ? withBallast(engine, ballast) : engine
}

/**
 * Has an engine that writes on this host end and delete on a full disk: what finds no room for what it notes down is done
 * once more with a piece of the ballast, as every call of the port may be. That there is too little room for something new
 * is said before anything is written, and gives up nothing.
 */
function withBallast(engine: Engine, ballast: Pick<Ballast, 'giveUp'>): Engine {
  const again =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      withRoom(ballast.giveUp, () => call(...args))
  return Object.assign(engine, {
    powerDown: again(engine.powerDown),
    powerOff: again(engine.powerOff),
    deleteMachine: again(engine.deleteMachine),
    detachVolume: again(engine.detachVolume),
    deleteVolume: again(engine.deleteVolume),
    deleteMachineSnapshot: again(engine.deleteMachineSnapshot),
    deleteVolumeSnapshot: again(engine.deleteVolumeSnapshot),
    dropRestore: again(engine.dropRestore),
    deleteProject: again(engine.deleteProject),
  })
}

function limitsOf({ simulatedCannot }: Pick<Config, 'simulatedCannot'>): Limits {
  const sentenceOf = (name: LimitName, sentence: string) => (simulatedCannot.includes(name) ? sentence : null)
  return {
    memorySnapshots: sentenceOf('memory_snapshots', clusterLimits.memorySnapshots),
    suspend: sentenceOf('suspend', clusterLimits.suspend),
    copies: sentenceOf('copies', clusterLimits.copies),
    hotPlug: sentenceOf('hot_plug', clusterLimits.hotPlug),
    incrementalSnapshots: sentenceOf('incremental_snapshots', clusterLimits.incrementalSnapshots),
    screens: sentenceOf('screens', clusterLimits.screens),
    backups: sentenceOf('backups', clusterLimits.backups),
    networks: sentenceOf('networks', clusterLimits.networks),
    ports: sentenceOf('ports', clusterLimits.ports),
    diskFiles: sentenceOf('disk_files', clusterLimits.diskFiles),
    growDisks: sentenceOf('grow_disks', clusterLimits.growDisks),
    growRootDisks: sentenceOf('grow_root_disks', clusterLimits.growRootDisks),
    changeKeys: sentenceOf('change_keys', clusterLimits.changeKeys),
  }
}

/** The simulated engine in this process, over the data directory. */
export async function openSimulatedEngine(config: Config): Promise<Engine> {
  const engine = makeSimulatedEngine({
    clock: systemClock,
    speed: config.simulatedSpeed,
    file: path.join(config.dataDir, SIMULATED_FILE),
    cannot: limitsOf(config),
    addresses: config.simulatedAddresses,
    ...(config.simulatedWeb && { web: config.simulatedWeb }),
  })
  await engine.open()
  return engine
}
