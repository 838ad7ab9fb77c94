import { type Engine, EngineError } from '../engine/engine.ts'
import type { Dial } from '../gateway/doors.ts'
import type { Woken } from '../vm/vm-wake.service.ts'

/**
 * Connections to guests, with what keeps them from being made as an answer in place of an error. One to a suspended VM
 * starts it, and waits for it.
 */
export function makeDial(engine: Pick<Engine, 'dial'>, wake: (vmId: string) => Promise<Woken>): Dial {
  const attempt: Dial = async (vmId, port) => {
    try {
      return await engine.dial(vmId, port)
    } catch (error) {
      if (error instanceof EngineError && error.code === 'unreachable') return { refused: error.message }
      throw error
    }
  }
  return async (vmId, port) => {
    const line = await attempt(vmId, port)
    if (!('refused' in line)) return line
    const woken = await wake(vmId)
    if (woken === 'up') return attempt(vmId, port)
    return woken === 'late' ? { refused: 'It is still resuming. Try again in a moment.' } : line
  }
}
