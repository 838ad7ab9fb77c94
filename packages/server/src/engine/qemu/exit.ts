import { readFile } from 'node:fs/promises'
import type { MachineExit } from '../engine.ts'
import { withoutHost } from './failure.ts'
import { fileNames, type MachineDirs, type RunRecord } from './machine-dir.ts'
import { eventOf, parseMessage, type QmpEvent } from './qmp.ts'

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

/** How the last run of a machine ended, by what it left in the machine's directory. */
export async function exitOf(
  dirs: MachineDirs,
  machineId: string,
  { run, bootId }: { run: RunRecord; bootId: string },
): Promise<MachineExit> {
  const text = (name: string) => readFile(dirs.fileOf(machineId, name), 'utf8').catch(() => '')
  return judgeExit({
    ...{ run, bootId },
    asked: (await dirs.readMark(machineId, 'asked')) === run.run,
    events: readJournal(await text(fileNames.journalOut)),
    lastWords: withoutHost((await text(fileNames.log)).trim().split('\n').at(-1) ?? ''),
  })
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
    return { how: 'crashed', reason: 'It was ended from outside Slipway, by a signal on the host.' }
  }
  const words = lastWords ? ` Its last words: ${lastWords}` : ''
  return {
    how: 'crashed',
    reason: `Its process ended without a shutdown, as when the host kills it.${words}`,
  }
}

/** The events in a journal; lines torn by a crash are passed over. */
export function readJournal(text: string): QmpEvent[] {
  return text.split('\n').flatMap((line) => {
    const message = parseMessage(line)
    const event = message && eventOf(message)
    return event ? [event] : []
  })
}
