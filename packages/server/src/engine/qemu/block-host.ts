import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chown, link, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError, errorCode, run } from '../../lib/command.ts'
import { exists } from './durable.ts'
import { plainEnvironment } from './process.ts'
import { endsWithUs } from './qcow2.ts'
import { connectQmp, type Qmp } from './qmp.ts'

/** A process that has disks open and copies them when told so: a guest's QEMU, or a daemon for disks at rest. */
export interface BlockHost {
  qmp: Qmp
  /** Lets the process open a file: `use` gets the name by which it finds it, for as long as it runs. */
  lend<T>(path: string, use: (name: string) => Promise<T>): Promise<T>
  /** Whether it stands still because something could not be written. */
  isStuck(): Promise<boolean>
  /** Lets what runs on it run, now that nothing is in its way. */
  goOn(): Promise<void>
}

/** Start of the names under which files are lent; what a crash left of them is cleared with the machine's next run. */
export const LENT = 'lent-'

/**
 * How a running guest gets at a new file. Its process has given up root's rights and sees nothing of the data
 * directory, except through the directory it was started in: there the file appears for a moment, and belongs to
 * the guest's user for that long. Other guests cannot get there.
 */
export function makeLending(machineDir: string, user: number | null): BlockHost['lend'] {
  return async (path, use) => {
    const name = `${LENT}${basename(path)}`
    const borrowed = join(machineDir, name)
    await takeBack(borrowed)
    const isElsewhere = await link(path, borrowed).then(
      () => false,
      (error: unknown) => {
        if (errorCode(error) !== 'EXDEV') throw error
        return true
      },
    )
    // Without root's rights the process is this user, and sees what it sees.
    if (isElsewhere && user === null) return use(path)
    try {
      if (isElsewhere) await showAt(path, borrowed)
      if (user !== null) await chown(path, user, -1)
      return await use(name)
    } finally {
      await takeBack(borrowed)
      if (user !== null) await chown(path, process.getuid?.() ?? 0, -1).catch(() => {})
    }
  }
}

/** No link leads to another file system, and directories of ours may each be one. */
async function showAt(path: string, place: string): Promise<void> {
  await writeFile(place, '')
  await run('mount', ['--bind', path, place])
}

/** Ends lending, also what a crash left of it. */
export async function takeBack(borrowed: string): Promise<void> {
  try {
    await rm(borrowed, { force: true })
  } catch (error) {
    if (errorCode(error) !== 'EBUSY') throw error
    await run('umount', ['--lazy', borrowed])
    await rm(borrowed, { force: true })
  }
}

const DAEMON = 'qemu-storage-daemon'

/**
 * Runs work with a storage daemon, which copies disks of no living guest by the same commands a guest's QEMU takes.
 * It ends with the work, and with this process.
 */
export async function withStorageDaemon<T>(
  scratchDir: string,
  work: (host: BlockHost) => Promise<T>,
): Promise<T> {
  const socket = `${randomUUID()}.sock`
  const [command, ...before] = endsWithUs
  const monitor = ['--chardev', `socket,id=qmp,path=${socket},server=on,wait=off`, '--monitor', 'chardev=qmp']
  const child: ChildProcess = spawn(command, [...before, DAEMON, ...monitor], {
    cwd: scratchDir,
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  // Missing where no descriptor was left for it; then an error follows.
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-4096)
  })
  const ended = new Promise<CommandError>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(new CommandError(DAEMON, '', `${DAEMON} could not be run`, { code: error.code ?? null })),
    )
    child.once('close', (status) =>
      resolve(new CommandError(DAEMON, complaint, `${DAEMON} ended early`, { status })),
    )
  })
  try {
    const path = join(scratchDir, socket)
    for (let look = 0; look < 1000 && !(await exists(path)); look += 1) {
      const end = await Promise.race([ended, sleep(10)])
      if (end) throw end
    }
    const qmp = await connectQmp(path, 10_000)
    try {
      return await work({
        qmp,
        lend: (file, use) => use(file),
        isStuck: async () => false,
        goOn: async () => {},
      })
    } finally {
      // What it knows of changes is only written when it is asked to end.
      await qmp.execute('quit').catch(() => {})
      await Promise.race([ended, sleep(30_000, undefined, { ref: false })])
      qmp.close()
    }
  } finally {
    child.kill('SIGKILL')
    await ended
    await rm(join(scratchDir, socket), { force: true })
  }
}
