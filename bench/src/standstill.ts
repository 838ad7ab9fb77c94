import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A span in which a guest stood still: when it began, by the clock of the host, and how long it was, both in milliseconds. */
export interface Standstill {
  at: number
  ms: number
}

/** When a guest that has ended stood still, by the last events that QEMU told of its run. */
export async function standstillsIn(machineDir: string): Promise<Standstill[]> {
  const found: Standstill[] = []
  let stopped: number | null = null
  for (const line of (await readFile(join(machineDir, 'journal.end'), 'utf8')).split('\n')) {
    if (!/^\{.*"(STOP|RESUME)".*\}\s*$/.test(line)) continue
    const { event, timestamp } = JSON.parse(line) as {
      event: string
      timestamp: { seconds: number; microseconds: number }
    }
    const at = timestamp.seconds * 1000 + timestamp.microseconds / 1000
    if (event === 'STOP') stopped ??= at
    else if (stopped !== null) {
      found.push({ at: stopped, ms: at - stopped })
      stopped = null
    }
  }
  return found
}
