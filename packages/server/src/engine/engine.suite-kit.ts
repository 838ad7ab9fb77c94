import { expect } from 'vitest'
import type { EngineHarness } from './engine.suite.ts'
import type { Engine, MachineState, Work } from './engine.ts'

/** How long a guest may take for anything, on a busy host without hardware acceleration. */
export const PATIENCE_MS = 90_000

/** The moves the suites are written with. `at` tells the harness and the engine as they are when they are used. */
export function makeMoves(name: string, at: () => { harness: EngineHarness; engine: Engine }) {
  /** Lets time pass until the work is done, for engines on a virtual clock. */
  async function done<T>(work: Promise<T>): Promise<T> {
    let settled = false
    const mark = () => {
      settled = true
    }
    work.then(mark, mark)
    for (let passed = 0; !settled && passed < PATIENCE_MS; passed += 50) await at().harness.pass(50)
    return work
  }

  /** Looks until the machine is in the wanted state. */
  async function until<P extends MachineState['power']>(id: string, power: P) {
    for (let passed = 0; passed < PATIENCE_MS; passed += 50) {
      const state = await at().engine.inspect(id)
      if (isIn(state, power)) return state
      await at().harness.pass(50)
    }
    throw new Error(
      `The machine did not become ${power}; it is ${JSON.stringify(await at().engine.inspect(id))}`,
    )
  }

  return {
    done,
    until,

    /** The code a call fails with. */
    code: (work: Promise<unknown>) =>
      done(work).then(
        () => 'no error',
        (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
      ),

    /** A part of the harness; skips the test, and says so, where there is none. */
    real<K extends keyof EngineHarness>(
      key: K,
      skip: (note: string) => never,
    ): NonNullable<EngineHarness[K]> {
      const way = at().harness[key]
      if (way) return way
      console.log(`  ${name} has no ${key}: a promise is not tested here`)
      return skip(`${name} has no ${key}`)
    },

    async imageIsReady(): Promise<void> {
      let state = await at().engine.image(at().harness.imageId)
      for (let passed = 0; state.state === 'coming' && passed < IMAGE_PATIENCE_MS; passed += 200) {
        expect(state.what).toBeTruthy()
        await at().harness.pass(200)
        state = await at().engine.image(at().harness.imageId)
      }
      expect(state).toEqual({ state: 'ready' })
    },
  }
}

/** Long work nobody ends. */
export const work = (): Work => ({ signal: new AbortController().signal, onProgress: () => {} })

const IMAGE_PATIENCE_MS = 300_000

const isIn = <P extends MachineState['power']>(
  state: MachineState,
  power: P,
): state is Extract<MachineState, { power: P }> => state.power === power
