import { setTimeout as sleep } from 'node:timers/promises'
import { type AgentTalk, UnansweredError } from '../agent.ts'
import type { Agent } from '../agent-line.ts'
import { countOf, isRecord } from '../lines.ts'
import { type Identity, identityText } from './identity-text.ts'

/** What images of ours carry: makes the guest nobody, and makes it who it is told. */
const DROP = '/usr/lib/slipway/drop-identity'
const RENEW = '/usr/lib/slipway/renew-identity'

/** On a busy host an answer may take long, and what gives up here boots: a copy has lost what it did then. */
const ANSWER_MS = 30_000
const PAUSE_MS = 20
/** Each question to the agent takes some milliseconds from the program that it asks about, where guests run in software. */
const LONGEST_PAUSE_MS = 320

/** A program in a guest that ended badly, or is not there: to try again would not help. */
export class GuestProgramError extends Error {}

/** Takes everything from a guest that no other may have: it is about to be frozen. */
export const dropIdentity = (agents: AgentTalk, signal: AbortSignal): Promise<void> =>
  inGuest(agents, () => ({ path: DROP, arg: [], input: Buffer.alloc(0) }), signal)

/** Whether a guest has said by itself that it is as far; costs the guest nothing. */
type Look = () => Promise<boolean>
const neverSays: Look = () => Promise.resolve(false)

/**
 * Gives a guest that started from a frozen one, or is a copy, its identity, the time of now and random numbers of its own;
 * SSH answers afterwards. May be done again: the machine that it already is keeps its keys.
 *
 * @param saysReady whether the guest says that it is ready: the program does so when it is done
 */
export const renewIdentity = (
  agents: AgentTalk,
  who: Identity,
  signal: AbortSignal,
  saysReady: Look = neverSays,
): Promise<void> =>
  inGuest(agents, () => ({ path: RENEW, arg: [], input: Buffer.from(identityText(who)) }), signal, saysReady)

/** Runs a shell script in a guest as root, and waits for its end; throws a {@link GuestProgramError} when it fails. */
export const runScript = (agents: AgentTalk, script: string, signal: AbortSignal): Promise<void> =>
  inGuest(agents, () => ({ path: '/bin/sh', arg: [], input: Buffer.from(script) }), signal)

interface Program {
  path: string
  arg: string[]
  input: Buffer
}

const inGuest = (
  agents: AgentTalk,
  program: () => Program,
  signal: AbortSignal,
  isDone: Look = neverSays,
): Promise<void> => onceAnswered(agents, (agent) => runToEnd(agent, program(), signal, isDone), signal)

/** Talks to the agent of a guest as soon as it answers; gives up when the signal is aborted. */
export async function onceAnswered<T>(
  agents: AgentTalk,
  work: (agent: Agent) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      return await agents.talk(work)
    } catch (error) {
      if (!(error instanceof UnansweredError)) throw error
      await sleep(PAUSE_MS, undefined, { ref: false, signal })
    }
  }
}

/** Commands: QEMU guest agent protocol reference, "guest-exec". */
async function runToEnd(
  agent: Agent,
  { path, arg, input }: Program,
  signal: AbortSignal,
  isDone: Look,
): Promise<void> {
  const asked = { path, arg, 'input-data': input.toString('base64') }
  const begun = await agent.execute('guest-exec', asked, ANSWER_MS)
  const pid = isRecord(begun) ? countOf(begun.pid) : null
  if (pid === null) throw new GuestProgramError(`The guest did not run ${path}`)
  for (let pauseMs = PAUSE_MS; ; ) {
    const isSaid = await pause(pauseMs, isDone, signal)
    const state = await agent.execute('guest-exec-status', { pid }, ANSWER_MS)
    if (isRecord(state) && state.exited === true) {
      if (state.exitcode === 0) return
      throw new GuestProgramError(`In the guest ${path} ended with status ${Number(state.exitcode)}`)
    }
    pauseMs = isSaid ? PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}

/** Waits for so long, or until that is so; says whether it is. */
async function pause(ms: number, isSo: Look, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + ms
  do {
    await sleep(PAUSE_MS, undefined, { ref: false, signal })
    if (await isSo()) return true
  } while (performance.now() < until)
  return false
}
