/** Holds a guest's file systems still for a copy, and sees to it that they move again. */
import { rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { type AgentTalk, UnansweredError } from './agent.ts'
import { type Agent, AgentRefusal } from './agent-line.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'

const FREEZE_MS = 5000
const THAW_MS = 5000
const ASK_MS = 3000
/** Between two tries: at first, and at most. */
const PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000

/** @param deps.gone ends what is tried again and again: the guest is gone, or somebody else's */
export function makeFreezing(deps: {
  machineId: string
  agent: AgentTalk
  dirs: Pick<MachineDirs, 'fileOf' | 'has'>
  log: Log
  gone: AbortSignal
}) {
  const { machineId, agent, dirs, log, gone } = deps
  const mark = dirs.fileOf(machineId, fileNames.frozen)
  const mayBeFrozen = () => dirs.has(machineId, fileNames.frozen)
  let thawing = false

  async function thaw(line: Agent): Promise<void> {
    try {
      await line.execute('guest-fsfreeze-thaw', {}, THAW_MS)
    } catch (error) {
      // Who must not thaw has not frozen either.
      if (!(error instanceof AgentRefusal)) throw error
      if ((await line.execute('guest-fsfreeze-status', {}, ASK_MS)) === 'frozen') throw error
    }
    await rm(mark, { force: true })
  }

  /**
   * Again and again until the agent says so. One that is busy, or whose guest stands still because the host cannot write what
   * it writes, may freeze late and hear of nothing after that: whatever writes in the guest would wait for ever.
   */
  async function thawWhenItCan(): Promise<void> {
    if (thawing) return
    thawing = true
    try {
      let pauseMs = PAUSE_MS
      while (!gone.aborted && (await mayBeFrozen())) {
        await sleep(pauseMs, undefined, { ref: false })
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
        // The mark stays, and says so.
        await agent.talk(thaw).catch(() => {})
      }
    } finally {
      thawing = false
    }
  }
  const thawLater = () => inBackground(log, 'thawing a guest', thawWhenItCan())

  /** Whether they were frozen while `work` ran, which it does once. */
  async function workFrozen(line: Agent, work: () => Promise<void>): Promise<boolean> {
    try {
      // Written first, so that the next process thaws what this one leaves frozen when it is killed.
      await writeFile(mark, '')
      const frozen = await line.execute('guest-fsfreeze-freeze', {}, FREEZE_MS).then(
        (count) => Number(count) > 0,
        () => false,
      )
      await work()
      return frozen
    } finally {
      // Also when it seemed to fail: it may have come late.
      await thaw(line).catch(thawLater)
    }
  }

  return {
    /** Runs work with the guest's file systems frozen, as a moment for a copy. False: there is no agent to do it. */
    async whileFrozen(work: () => Promise<void>): Promise<boolean> {
      try {
        return await agent.talk((line) => workFrozen(line, work))
      } catch (error) {
        if (!(error instanceof UnansweredError)) throw error
        await work()
        return false
      }
    },

    /** The guest boots, and knows nothing of what was before. */
    forget: () => rm(mark, { force: true }),

    /** Thaws what an earlier process has left frozen: now, or as soon as the agent answers. */
    async thawIfLeft(): Promise<void> {
      if (await mayBeFrozen()) await agent.talk(thaw).catch(thawLater)
    },
  }
}
