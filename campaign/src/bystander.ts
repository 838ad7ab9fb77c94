/** A user who does nothing but look, and must never notice what the others and the faults do. */
import { setTimeout as sleep } from 'node:timers/promises'
import { vmApi } from '@slipway/contract'
import { requestOf } from './client.ts'
import type { Finding } from './compare.ts'
import type { Control } from './control.ts'
import type { Host } from './host.ts'
import type { Person } from './people.ts'
import { isUnnoticed } from './trouble.ts'
import { isLate } from './yardstick.ts'

/** The longest that a plain call may take. */
const limitMs = 1_000

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
  control: Control,
  found: (finding: Finding) => void,
): Bystander {
  const times: number[] = []
  let on = true
  async function callOnce(): Promise<void> {
    const trouble = host.watch()
    const began = performance.now()
    const answer = await person.client.send(requestOf(vmApi.list, { params: { projectId } }))
    // While the server is down or just came, nobody is promised anything.
    if (!isUnnoticed(trouble())) return
    // Killed before it answered.
    if (!answer) return
    if (answer.status === 401) await person.signIn()
    times.push(answer.took)
    if (answer.took <= limitMs) return
    const excused = await control.excused(began, began + answer.took)
    if (isLate(answer.took, excused, limitMs))
      found({
        rule: 'starved',
        message: `A plain call of the bystander took ${Math.round(answer.took)} ms, ${Math.round(excused)} of them because of the host`,
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
