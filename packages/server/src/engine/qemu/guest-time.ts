import type { Agent } from './agent-line.ts'

export interface Reading {
  at: number
  /** How far the guest's clock is ahead of the host's. */
  aheadMs: number
  /** The answer may be as much older or newer. */
  openMs: number
}

/** The time in a guest. Command: QEMU guest agent protocol reference, "guest-get-time". */
export async function readTime(agent: Agent, timeoutMs: number): Promise<Reading> {
  const asked = Date.now()
  const nanoseconds = Number(await agent.execute('guest-get-time', {}, timeoutMs))
  const answered = Date.now()
  if (!Number.isFinite(nanoseconds)) throw new Error('The guest does not tell the time')
  const at = (asked + answered) / 2
  return { at, aheadMs: nanoseconds / 1_000_000 - at, openMs: (answered - asked) / 2 }
}
