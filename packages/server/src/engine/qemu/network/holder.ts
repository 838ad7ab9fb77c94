/**
 * A network namespace of an ordinary user: in a user namespace in which that user is root. Nothing but a process keeps it,
 * so one that does nothing else holds it. It is found by what it was started with, and nobody has to remember it.
 */
import { spawn } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ifThere } from '../durable.ts'
import { kill, plainEnvironment } from '../process.ts'

const LOOK_MS = 10
const LOOKS = 500

/** What holds a namespace open until it is killed: it waits for a file to grow that never does. */
const holderOf = (file: string): string[] => ['tail', '-f', file]

/** What a process was started with; nothing when it is gone. */
export const argumentsOf = async (pid: number): Promise<string[]> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').slice(0, -1)

const isHolder = async (pid: number, file: string): Promise<boolean> =>
  (await argumentsOf(pid)).join('\0') === holderOf(file).join('\0')

export const pidsOfHost = async (): Promise<number[]> =>
  (await readdir('/proc')).map(Number).filter((pid) => pid > 1)

/** Finds it among all processes of the host; null when there is none. */
export async function findHolder(file: string): Promise<number | null> {
  for (const pid of await pidsOfHost()) if (await isHolder(pid, file)) return pid
  return null
}

/** The files of all holders whose name ends in this. */
export async function filesOfHolders(name: string): Promise<string[]> {
  const files: string[] = []
  for (const pid of await pidsOfHost()) {
    const [program, , file = ''] = await argumentsOf(pid)
    if (program === 'tail' && file.endsWith(`/${name}`) && (await isHolder(pid, file))) files.push(file)
  }
  return files
}

/** Starts one, and resolves with its process id once its namespace is there. */
export async function startHolder(file: string): Promise<number> {
  const child = spawn('unshare', ['--user', '--map-root-user', '--net', '--', ...holderOf(file)], {
    detached: true,
    env: plainEnvironment(),
    stdio: 'ignore',
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (status) => reject(new Error(`unshare ended with status ${status}`)))
  })
  failed.catch(() => {})
  child.unref()
  for (let look = 0; look < LOOKS; look += 1) {
    if (child.pid !== undefined && (await isHolder(child.pid, file))) return child.pid
    await Promise.race([sleep(LOOK_MS), failed])
  }
  if (child.pid !== undefined) kill(child.pid)
  throw new Error('The namespace for project networks was not made in time')
}

export const stillHolds = isHolder

/** Processes in the network namespace of a process, that one among them. */
export async function processesBeside(holder: number): Promise<number[]> {
  const namespaceOf = (pid: number) => readlink(`/proc/${pid}/ns/net`).catch(() => null)
  const its = await namespaceOf(holder)
  if (its === null) return []
  const pids: number[] = []
  for (const pid of await pidsOfHost()) if ((await namespaceOf(pid)) === its) pids.push(pid)
  return pids
}

/** The name of the program that a process runs. */
export const programOf = async (pid: number): Promise<string> =>
  (
    (await ifThere(
      `/proc/${pid}`,
      readFile(`/proc/${pid}/comm`, 'utf8').catch(() => ''),
    )) ?? ''
  ).trim()
