import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode, outsideEnvironment } from '../../lib/command.ts'
import { EngineError } from '../engine.ts'
import { ifThere } from './durable.ts'

/**
 * Whether a process is the QEMU of one run of one machine. A process id alone proves nothing, ids are used again;
 * the program and both ids on its command line do. Throws an UnreadableError when that cannot be found out.
 */
export async function isRunOf(pid: number, machineId: string, run: string): Promise<boolean> {
  return (await argumentsOf(pid, machineId)).includes(`run-${run}`)
}

/**
 * Ends every process that runs a machine from its directory, whichever run it is of: a copy of the machine in another
 * data directory has the same id. Throws when one does not end.
 */
export async function endAllOf(machineId: string, dir: string): Promise<void> {
  const home = await realpath(dir).catch(() => resolve(dir))
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 1)
  for (const pid of pids) {
    const isAlive = async () => (await argumentsOf(pid, machineId)).length > 0
    if (!(await isAlive()) || (await readlink(`/proc/${pid}/cwd`).catch(() => '')) !== home) continue
    await endProcess({ isAlive, kill: () => kill(pid) }, { politeMs: 0 })
  }
}

/** The arguments of a process that runs a machine; none when it is another process, or gone. */
async function argumentsOf(pid: number, machineId: string): Promise<string[]> {
  const reading = async () => {
    const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    if (args[args.indexOf('-uuid') + 1] !== machineId) return []
    // A zombie has no program any more; an upgraded one ends in " (deleted)".
    return basename(await readlink(`/proc/${pid}/exe`)).startsWith('qemu-system-') ? args : []
  }
  const gone = (error: unknown) => {
    if (errorCode(error) === 'ESRCH') return []
    throw error
  }
  return (await ifThere(`/proc/${pid}`, reading().catch(gone))) ?? []
}

/** The process id in a file; null when there is none. Throws an UnreadableError when it cannot be read. */
export async function readPid(path: string): Promise<number | null> {
  const pid = Number.parseInt((await ifThere(path, readFile(path, 'utf8'))) ?? '', 10)
  return Number.isInteger(pid) && pid > 1 ? pid : null
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone in the meantime, which is what was wanted.
  }
}

const LOOK_MS = 20
/** A process that writes to a disk that hangs cannot be killed before the disk answers. */
const KILLED_MS = 20_000

/**
 * Waits for the end of a process that was asked to end, and kills it after `politeMs`: that works on a stopped one,
 * too. Throws a retryable `EngineError` when it is still there 20 s later, as one that waits for a disk is.
 */
export async function endProcess(
  of: { isAlive: () => Promise<boolean>; kill: () => void },
  { politeMs, killedMs = KILLED_MS }: { politeMs: number; killedMs?: number },
): Promise<void> {
  const until = (ms: number) => performance.now() + ms
  for (const end = until(politeMs); performance.now() < end; await sleep(LOOK_MS)) {
    if (!(await of.isAlive())) return
  }
  of.kill()
  for (const end = until(killedMs); performance.now() < end; await sleep(LOOK_MS)) {
    if (!(await of.isAlive())) return
  }
  throw new EngineError(
    'internal',
    'The process of the guest could not be stopped. It is waiting for the host, most likely for a disk that does not respond. Check the disks of the host.',
    { retryable: true },
  )
}

/** The kernel's id of this start of the host. */
export const readBootId = async (): Promise<string> =>
  (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()

/** Memory a process holds in RAM, in MiB; 0 when it is gone. Field: proc_pid_status(5), VmRSS. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
}

/** The same without what is only mapped from files, and takes memory of its own once it is written to. Field: RssAnon. */
export async function ownMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
}

/** All that a process gets of our environment which serves a guest: nothing in it is for whom a guest breaks out to. */
export function plainEnvironment(): Record<string, string> {
  const { PATH = '', LC_ALL = 'C' } = outsideEnvironment()
  return { PATH, LC_ALL }
}
