import { spawn } from 'node:child_process'
import { constants, type FileHandle, open, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../lib/command.ts'
import { parseMessage } from './lines.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { plainEnvironment } from './process.ts'
import { eventOf, type QmpEvent } from './qmp.ts'

/**
 * How much is kept of a run's events: the newest. Those that tell how a run ended are its last ones, and a guest can
 * make QEMU write seventeen megabytes a second of others.
 */
const KEPT_BYTES = 64 * 1024
/** The keeper writes within milliseconds of QEMU's end. */
const WRITTEN_MS = 2000
const LOOK_MS = 20

/**
 * Makes the journal of a run: QEMU writes its events into a pipe whether a server lives or not, and a process at its
 * other end, which outlives this one too, writes the newest of them to a file when QEMU has ended. So what a guest
 * causes takes neither room on the disk nor anybody's time, and nothing is lost while no server runs.
 *
 * @returns to be called when QEMU has opened the pipe or failed to; the keeper ends with QEMU from then on
 */
export async function keepJournal(dirs: MachineDirs, machineId: string): Promise<() => Promise<void>> {
  const path = (name: string) => dirs.fileOf(machineId, name)
  await rm(path(fileNames.journalOut), { force: true })
  await run('mkfifo', ['-m', '600', path(fileNames.journalOut)])
  await writeFile(path(fileNames.journalIn), '{"execute":"qmp_capabilities"}\n')
  // Both ways, so that opening its other end waits for nobody and it does not end before QEMU writes.
  const writing = await open(path(fileNames.journalOut), 'r+')
  const opened: FileHandle[] = []
  try {
    const reading = await open(path(fileNames.journalOut), 'r')
    opened.push(reading)
    const kept = await open(path(fileNames.journalEnd), 'w', 0o600)
    opened.push(kept)
    const keeper = spawn('tail', ['-c', String(KEPT_BYTES)], {
      // Tells whose it is to somebody who looks at the processes of the host.
      cwd: dirs.pathOf(machineId),
      detached: true,
      env: plainEnvironment(),
      stdio: [reading.fd, kept.fd, 'ignore'],
    })
    keeper.unref()
    await new Promise<void>((resolve, reject) => {
      keeper.once('spawn', resolve)
      keeper.once('error', reject)
    })
  } catch (error) {
    await writing.close()
    throw error
  } finally {
    for (const file of opened) await file.close()
  }
  return () => writing.close()
}

/** The newest events of a run that has ended, oldest first; none when they were lost with the host. */
export async function journalOf(
  dirs: MachineDirs,
  machineId: string,
  { sameBoot }: { sameBoot: boolean },
): Promise<QmpEvent[]> {
  const path = (name: string) => dirs.fileOf(machineId, name)
  let text = await tailOf(path(fileNames.journalEnd), KEPT_BYTES)
  // Guests of earlier versions wrote into the file itself.
  if (text === null) return eventsIn((await tailOf(path(fileNames.journalOut), KEPT_BYTES)) ?? '')
  const latest = performance.now() + WRITTEN_MS
  while (sameBoot && !text?.endsWith('\n') && performance.now() < latest) {
    await sleep(LOOK_MS)
    text = await tailOf(path(fileNames.journalEnd), KEPT_BYTES)
  }
  return eventsIn(text ?? '')
}

/** Whether QEMU has written into the journal of a run: it greets as soon as it is there. */
export async function hasGreeted(dirs: MachineDirs, machineId: string): Promise<boolean> {
  const kept = await tailOf(dirs.fileOf(machineId, fileNames.journalEnd), 1)
  // Guests of earlier versions wrote into the file itself.
  return (kept ?? (await tailOf(dirs.fileOf(machineId, fileNames.journalOut), 1)) ?? '') !== ''
}

/** The events in a journal; lines torn by a crash are passed over. */
export function eventsIn(text: string): QmpEvent[] {
  return text.split('\n').flatMap((line) => {
    const message = parseMessage(line)
    const event = message && eventOf(message)
    return event ? [event] : []
  })
}

/** The last bytes of a file as text; null when there is no such file. */
export async function tailOf(path: string, bytes: number): Promise<string | null> {
  // Opening a pipe would wait for its other end.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  const file = await open(path, flags).catch(() => null)
  if (!file) return null
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return ''
    const from = Math.max(0, stats.size - bytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(bytes, stats.size)), 0, null, from)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
