import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { CommandError, errorCode } from '../../../lib/command.ts'
import { readPid } from '../process.ts'
import type { FileNames } from './names.ts'
import { servesFile } from './namespace.ts'

/**
 * Keeps one dnsmasq running by its files. It is no child of ours and outlives the server.
 *
 * @param start runs a program where it has to serve
 */
export function makeNameServer(file: FileNames, start: (command: string, args: string[]) => Promise<string>) {
  async function living(): Promise<number | null> {
    const pid = await readPid(file.pid)
    return pid !== null && (await servesFile(pid, file.settings)) ? pid : null
  }

  async function end(): Promise<void> {
    const pid = await living()
    if (pid !== null) signal(pid, 'SIGKILL')
    await rm(file.pid, { force: true })
  }

  return {
    /**
     * Sees to it that it serves with these settings, names and leases. A change of names takes a signal only.
     *
     * @returns `put back` when it should have been running
     */
    async ensure(texts: {
      settings: string
      names?: string
      leases?: string
    }): Promise<'stood' | 'put back'> {
      const isOther = await write(file.settings, texts.settings)
      // Each has to be done, so none of them may be skipped.
      const changed = [
        texts.names !== undefined && (await write(file.names, texts.names)),
        texts.leases !== undefined && (await write(file.leases, texts.leases)),
      ].some(Boolean)
      const pid = await living()
      if (pid !== null && !isOther) {
        if (changed) signal(pid, 'SIGHUP')
        return 'stood'
      }
      await end()
      await start('dnsmasq', [`--conf-file=${file.settings}`])
      return isOther ? 'stood' : 'put back'
    },
    async remove(): Promise<void> {
      await end()
      for (const path of Object.values(file)) await rm(path, { force: true })
    },
  }
}

/** Whether it did not start because another program serves there. */
export const isAddressInUse = (error: unknown): boolean =>
  error instanceof CommandError && error.stderr.includes('Address already in use')

/** Writes a file that is read by another program; tells whether that changed it. */
async function write(path: string, text: string): Promise<boolean> {
  const before = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (before === text) return false
  await writeFile(path, text)
  // Whatever the mask of the server is: dnsmasq reads as a user of its own.
  await chmod(path, 0o644)
  return true
}

function signal(pid: number, name: 'SIGHUP' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone in the meantime: the next look starts another.
  }
}

export type NameServer = ReturnType<typeof makeNameServer>
