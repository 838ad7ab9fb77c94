import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from '../../../lib/command.ts'
import { ifThere } from '../durable.ts'
import { readPid } from '../process.ts'
import type { FileNames } from './names.ts'
import { servesFile } from './namespace.ts'

const TRIES = 10
const TRY_AGAIN_MS = 200

/**
 * Keeps one dnsmasq running by its files. It is no child of ours and outlives the server.
 *
 * @param start runs a program where it has to serve
 */
export function makeNameServer(file: FileNames, start: (command: string, args: string[]) => Promise<string>) {
  /** What was written last: nobody else writes there, and there are looks every few seconds. */
  let written: Texts | null = null
  let pid: number | null = null

  async function isAlive(): Promise<boolean> {
    if (pid === null || !(await servesFile(pid, file.settings))) pid = await readPid(file.pid)
    if (pid !== null && !(await servesFile(pid, file.settings))) pid = null
    return pid !== null
  }

  async function end(): Promise<void> {
    if (await isAlive()) tell('SIGKILL')
    await rm(file.pid, { force: true })
  }

  function tell(signal: 'SIGHUP' | 'SIGKILL'): void {
    try {
      if (pid !== null) process.kill(pid, signal)
    } catch {
      // Gone in the meantime: the next look starts another.
    }
  }

  async function write(texts: Texts): Promise<void> {
    written = null
    await writeOpen(file.settings, texts.settings)
    await writeOpen(file.names, texts.names)
    await writeOpen(file.leases, texts.leases)
    written = texts
  }

  /**
   * A server that was killed may have been starting one, which serves already but has not said yet as which process.
   * Throws what the last try said: then another program serves there.
   */
  async function startAlone(): Promise<void> {
    for (let triesLeft = TRIES; ; triesLeft--) {
      try {
        await start('dnsmasq', [`--conf-file=${file.settings}`])
        return
      } catch (error) {
        if (!isAddressInUse(error) || triesLeft === 1) throw error
        await sleep(TRY_AGAIN_MS)
        if (await isAlive()) await end()
      }
    }
  }

  return {
    /**
     * Sees to it that it serves with these settings, names and leases. A change of names takes a signal only.
     *
     * @returns `put back` when it should have been running
     */
    async ensure(texts: Texts): Promise<'stood' | 'put back'> {
      const before = written ?? (await readTexts(file))
      const isOther = before.settings !== texts.settings
      const isOld = isOther || before.names !== texts.names || before.leases !== texts.leases
      if (isOld) await write(texts)
      if (!isOther && (await isAlive())) {
        if (isOld) tell('SIGHUP')
        else written = texts
        return 'stood'
      }
      await end()
      // Who ended it may have removed what it reads.
      if (!isOld) await write(texts)
      await startAlone()
      return isOther ? 'stood' : 'put back'
    },
    async remove(): Promise<void> {
      await end()
      written = null
      for (const path of Object.values(file)) await rm(path, { force: true })
    },
  }
}

export interface Texts {
  settings: string
  /** Empty for one that has none of its own. */
  names: string
  leases: string
}

/** What an earlier server wrote; null for what is not there. */
async function readTexts(file: FileNames): Promise<{ [K in keyof Texts]: string | null }> {
  const [settings, names, leases] = await Promise.all(
    [file.settings, file.names, file.leases].map((path) => ifThere(path, readFile(path, 'utf8'))),
  )
  return { settings: settings ?? null, names: names ?? null, leases: leases ?? null }
}

/** Whether it did not start because another program serves there. */
export const isAddressInUse = (error: unknown): boolean =>
  error instanceof CommandError && error.stderr.includes('Address already in use')

/** Whatever the mask of the server is: dnsmasq reads as a user of its own. */
async function writeOpen(path: string, text: string): Promise<void> {
  await writeFile(path, text)
  await chmod(path, 0o644)
}

export type NameServer = ReturnType<typeof makeNameServer>
