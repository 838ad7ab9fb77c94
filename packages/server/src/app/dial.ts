import { type Engine, EngineError } from '../engine/engine.ts'
import type { Dial } from '../gateway/doors.ts'

/** Connections to guests, with what keeps them from being made as an answer in place of an error. */
export const makeDial =
  (engine: Pick<Engine, 'dial'>): Dial =>
  async (vmId, port) => {
    try {
      return await engine.dial(vmId, port)
    } catch (error) {
      if (error instanceof EngineError && error.code === 'unreachable') return { refused: error.message }
      throw error
    }
  }
