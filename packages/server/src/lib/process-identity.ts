import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { errorCode } from './command.ts'

/** What tells a process from every other one that ever had its id. */
export interface ProcessIdentity {
  pid: number
  /** In clock ticks since boot (field 22 of its stat); null where there is no such file. */
  started: string | null
}

/** That of the process we are. */
export const thisProcess = async (): Promise<ProcessIdentity> => ({
  pid: process.pid,
  started: await startTimeOf(process.pid),
})

/**
 * The process that a text names, as JSON of its identity, when that process still lives; null otherwise. Throws when
 * that cannot be told.
 */
export async function livingProcess(text: string): Promise<ProcessIdentity | null> {
  const identity = parse(text)
  return identity && (await startTimeOf(identity.pid)) === identity.started ? identity : null
}

async function startTimeOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch (error) {
    // No such process. That we cannot look is no sign that it ended.
    if (['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')) return null
    throw error
  }
}

function parse(text: string): { pid: number; started: string } | null {
  try {
    const { pid, started } = JSON.parse(text) as Record<string, unknown>
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : null
  } catch {
    return null
  }
}

/** What people are told of the process we are. The last part is another one in every process there ever was. */
export const nameOfThisProcess = `${hostname()}, process ${process.pid} (${randomBytes(4).toString('hex')})`
