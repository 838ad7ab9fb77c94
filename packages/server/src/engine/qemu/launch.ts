import { type ChildProcess, spawn } from 'node:child_process'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from '../../lib/command.ts'
import { tailOf } from './journal.ts'
import { fileNames } from './machine-dir.ts'
import { plainEnvironment } from './process.ts'

/**
 * Starts QEMU as a process of its own session that outlives this one, and waits until its QMP socket is there. What
 * it complains about goes to its log. QEMU's own `-daemonize` is not used: it must fork, which the sandbox forbids.
 *
 * @param entry what leads it into a namespace: a program and arguments that end in its own
 * @param memoryPath a saved memory it goes on from, or null
 * @returns its process id, and a promise that rejects if it ends
 */
export async function launchQemu(
  args: string[],
  dir: string,
  entry: readonly string[],
  memoryPath: string | null,
): Promise<{ pid: number; ended: Promise<never> }> {
  const logPath = join(dir, fileNames.log)
  const opened: FileHandle[] = []
  let child: ChildProcess
  let ended: Promise<never>
  try {
    const log = await open(logPath, 'a', 0o600)
    opened.push(log)
    if (memoryPath !== null) opened.push(await open(memoryPath))
    const [program = QEMU, ...rest] = [...entry, QEMU, ...args]
    child = spawn('nice', ['-n', `${NICENESS}`, program, ...rest], {
      cwd: dir,
      detached: true,
      env: plainEnvironment(),
      stdio: ['ignore', 'ignore', ...opened.map(({ fd }) => fd)],
    })
    child.unref()
    ended = endOf(child, logPath)
    // Later ends are seen through the QMP line; here nobody may be listening any more.
    ended.catch(() => {})
  } finally {
    for (const file of opened) await file.close()
  }
  try {
    await socketAppears(join(dir, fileNames.qmp), child, ended)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return { pid: child.pid ?? 0, ended }
}

export const QEMU = 'qemu-system-x86_64'
/**
 * Guests come after the server, so that those that are busy keep nobody's call waiting: where both want a processor, a
 * guest gets a third of what the server gets (sched(7): each step is a factor of about 1.25). Among each other they are equal.
 */
export const NICENESS = 5
/** Memory a guest takes beside its own: QEMU itself and translated code. */
export const OVERHEAD_MB = 128

/** Rejects when the process ends or cannot be run, with what it complained about. */
function endOf(child: ChildProcess, logPath: string): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (text: string, why: string, end: { code?: string | null; status?: number | null }) =>
      reject(new CommandError(QEMU, text, why, end))
    child.once('error', (error: NodeJS.ErrnoException) =>
      fail('', `${QEMU} could not be run`, { code: error.code ?? null }),
    )
    child.once('exit', (status, signal) => {
      // What leads it there says so by this status when there is no such program (nice(1), unshare(1)).
      if (status === 127) return fail('', `${QEMU} could not be run`, { code: 'ENOENT', status })
      const why = `${QEMU} ended with ${signal ?? `status ${status}`}`
      tailOf(logPath, LOG_BYTES).then(
        (text) => fail(text ?? '', why, { status }),
        () => fail('', why, { status }),
      )
    })
  })
}

/** What QEMU complains about is in the last lines of its log. */
const LOG_BYTES = 16 * 1024

/** Looks for up to half a minute, or as long as the process lives. */
async function socketAppears(path: string, child: ChildProcess, ended: Promise<never>): Promise<void> {
  for (let look = 0; look < 3000; look += 1) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return ended
    if (await stat(path).catch(() => null)) return
    await sleep(10)
  }
  throw new CommandError(QEMU, '', `${QEMU} did not come up`, { code: 'ETIMEDOUT' })
}
