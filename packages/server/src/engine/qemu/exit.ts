import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { MachineExit } from '../engine.ts'
import { withoutHost } from './failure.ts'
import { journalOf, tailOf } from './journal.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import type { QmpEvent } from './qmp.ts'
import type { RunRecord } from './records.ts'

/** What is left of a run to judge it by. */
export interface Evidence {
  run: Pick<RunRecord, 'bootId'>
  /** The host's boot id now. */
  bootId: string
  /** Whether powerDown or powerOff was called in this run. */
  asked: boolean
  /** The run's journal, oldest first. */
  events: readonly QmpEvent[]
  /** Last line QEMU logged, without names of the host; empty when it logged nothing. */
  lastWords: string
}

/** A verdict, and the run it is about. */
interface Verdict {
  run: string
  exit: MachineExit
}

const LAST_WORDS_BYTES = 4096

/**
 * How the last run of a machine ended, by what it left in the machine's directory. The process of the run has to have
 * ended: the first verdict is kept, and what it was based on is not read again.
 */
export async function exitOf(
  dirs: MachineDirs,
  machineId: string,
  { run, bootId }: { run: RunRecord; bootId: string },
): Promise<MachineExit> {
  const path = dirs.fileOf(machineId, fileNames.exit)
  const kept = await readVerdict(path)
  if (kept?.run === run.run) return kept.exit
  const log = (await tailOf(dirs.fileOf(machineId, fileNames.log), LAST_WORDS_BYTES)) ?? ''
  const exit = judgeExit({
    run,
    bootId,
    asked: await dirs.wasAsked(machineId, run.run),
    events: await journalOf(dirs, machineId, { sameBoot: run.bootId === bootId }),
    lastWords: withoutHost(log.trim().split('\n').at(-1) ?? ''),
  })
  // Kept as far as it can be: without it the evidence is judged once more, which is still there.
  await writeVerdict(path, { run: run.run, exit }).catch(() => {})
  return exit
}

async function readVerdict(path: string): Promise<Verdict | null> {
  try {
    // The file is our own and 0600: its shape is taken at its word.
    return JSON.parse(await readFile(path, 'utf8')) as Verdict
  } catch {
    return null
  }
}

async function writeVerdict(path: string, verdict: Verdict): Promise<void> {
  const fresh = `${path}.${randomUUID()}`
  try {
    await writeFile(fresh, JSON.stringify(verdict), { mode: 0o600 })
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** How a run ended, by the evidence. Reasons of SHUTDOWN: QEMU QMP reference, "ShutdownCause". */
export function judgeExit({ run, bootId, asked, events, lastWords }: Evidence): MachineExit {
  const shutdown = events.findLast(({ event }) => event === 'SHUTDOWN')
  const cause = shutdown?.data.reason
  if (asked) return { how: 'asked' }
  if (cause === 'guest-shutdown') return { how: 'clean' }
  if (cause === 'guest-reset') return { how: 'reboot' }
  if (cause === 'guest-panic' || events.some(({ event }) => event === 'GUEST_PANICKED')) {
    return { how: 'crashed', reason: 'The kernel of the guest panicked.' }
  }
  if (run.bootId !== bootId) return { how: 'host-restart' }
  if (cause === 'host-qmp-quit') return { how: 'asked' }
  if (cause === 'host-signal') {
    return { how: 'crashed', reason: 'The process was ended by a signal on the host, not by Slipway.' }
  }
  const words = lastWords ? ` Last output: ${lastWords}` : ''
  return {
    how: 'crashed',
    reason: `The process ended without a shutdown, as if the host had killed it.${words}`,
  }
}
