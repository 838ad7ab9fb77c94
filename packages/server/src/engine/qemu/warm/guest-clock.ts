import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentTalk } from '../agent.ts'
import { type Reading, readTime } from '../guest-time.ts'
import { onceAnswered } from './identity.ts'

const ANSWER_MS = 10_000
/** How long a clock is watched, and what it may gain or lose of that beside what asking leaves open. */
const WATCH_MS = 3000
const TOLERANCE = 0.02

/** How far a guest's clock is ahead of the host's. */
export const readClock = (agents: AgentTalk, signal: AbortSignal): Promise<Reading> =>
  onceAnswered(agents, (agent) => readTime(agent, ANSWER_MS), signal)

/**
 * Whether a guest's clock goes as fast as the host's. Where guests run in software, one that boots on a busy host may
 * measure its clock wrongly, and all that start from it would be wrong with it.
 */
export async function keepsTime(agents: AgentTalk, signal: AbortSignal): Promise<boolean> {
  const first = await readClock(agents, signal)
  await sleep(WATCH_MS, undefined, { signal, ref: false })
  const second = await readClock(agents, signal)
  return isSteady(first, second)
}

export function isSteady(first: Reading, second: Reading): boolean {
  const open = first.openMs + second.openMs + TOLERANCE * (second.at - first.at)
  return Math.abs(second.aheadMs - first.aheadMs) <= open
}
