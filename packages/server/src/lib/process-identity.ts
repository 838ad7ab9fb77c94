import { readFile } from 'node:fs/promises'

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

/** The process that a text names, as JSON of its identity, when that process still lives; null otherwise. */
export async function livingProcess(text: string): Promise<ProcessIdentity | null> {
  const identity = parse(text)
  return identity && (await startTimeOf(identity.pid)) === identity.started ? identity : null
}

async function startTimeOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
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
