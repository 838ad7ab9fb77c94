import { readFile } from 'node:fs/promises'
import { isRecord } from './lines.ts'
import type { Qmp } from './qmp.ts'

/** The threads of this host that run a guest's processors, one each or one for all. QMP reference, "query-cpus-fast". */
export async function processorThreads(qmp: Qmp): Promise<number[]> {
  const processors = await qmp.execute('query-cpus-fast')
  const ids = (Array.isArray(processors) ? processors : []).filter(isRecord).map((cpu) => cpu['thread-id'])
  return [...new Set(ids.filter((id) => typeof id === 'number'))]
}

/**
 * Milliseconds that the processors of a guest have worked, without a word to the guest: the kernel keeps account of
 * each thread. Null when it is gone.
 *
 * @param ticksPerSecond the kernel's unit of CPU time
 */
export async function processorTime(
  { pid, processors }: { pid: number; processors: readonly number[] },
  ticksPerSecond: number,
): Promise<number | null> {
  const ticks = await Promise.all(processors.map((thread) => threadTicks(pid, thread)))
  const used = ticks.reduce<number>((sum, each) => sum + (each ?? Number.NaN), 0)
  return Number.isNaN(used) ? null : Math.round((used / ticksPerSecond) * 1000)
}

const threadTicks = async (pid: number, thread: number): Promise<number | null> =>
  ticksIn(await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => ''))

/**
 * CPU time of a process or thread, in ticks; null when the line tells none. Fields: proc_pid_stat(5), utime (14) and
 * stime (15).
 */
export function ticksIn(stat: string): number | null {
  // The second field is a name in parentheses; it may hold blanks and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [fields[14 - 3], fields[15 - 3]].map((field) => Number(field ?? Number.NaN))
  return Number.isInteger(user) && Number.isInteger(system) ? Number(user) + Number(system) : null
}
