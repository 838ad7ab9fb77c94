/** A user who does nothing but look, and must never notice what the others and the faults do. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { vmApi } from '@slipway/contract'
import { requestOf } from './client.ts'
import type { Finding } from './compare.ts'
import type { Host } from './host.ts'
import type { Person } from './people.ts'
import { isUnnoticed } from './trouble.ts'

/** The longest that a plain call may take. */
const limitMs = 1_000

/** Milliseconds that the main thread of a process was ready to run and another one had the processor; null once it ended. */
async function waitedForProcessor(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').catch(() => null)
  return text === null ? null : Number(text.split(' ')[1]) / 1e6
}

/** Begins to count; asked again, it says how long those processes waited that are still there. */
async function countWaiting(pids: readonly number[]): Promise<() => Promise<number>> {
  const look = () => Promise.all(pids.map(waitedForProcessor))
  const before = await look()
  return async () => {
    const after = await look()
    return after.reduce<number>((sum, now, i) => sum + (now === null ? 0 : now - (before[i] ?? now)), 0)
  }
}

export interface Bystander {
  /** Milliseconds of every call that was answered. */
  times: number[]
  end: () => Promise<void>
}

/** Calls again and again; `found` hears what should not be. */
export function watchAsBystander(
  host: Host,
  person: Person,
  projectId: string,
  found: (finding: Finding) => void,
): Bystander {
  const times: number[] = []
  let on = true
  async function callOnce(): Promise<void> {
    const trouble = host.watch()
    const waited = await countWaiting([process.pid, ...(await host.processes())])
    const answer = await person.client.send(requestOf(vmApi.list, { params: { projectId } }))
    // While the server is down or just came, nobody is promised anything.
    if (!isUnnoticed(trouble())) return
    const byOthers = await waited()
    // Killed before it answered.
    if (!answer) return
    if (answer.status === 401) await person.signIn()
    times.push(answer.took)
    if (answer.took - byOthers > limitMs)
      found({
        rule: 'starved',
        message: `A plain call of the bystander took ${Math.round(answer.took)} ms, ${Math.round(byOthers)} of them waiting for a processor`,
      })
  }
  const watching = (async () => {
    while (on) {
      if (host.up) await callOnce()
      await sleep(100)
    }
  })()
  return {
    times,
    async end() {
      on = false
      await watching
    },
  }
}
