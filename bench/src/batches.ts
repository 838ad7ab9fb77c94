/** One call for 1,000 VMs on the simulated engine: until it is accepted, until the first result, and until the last. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchCreate, batchApi } from '@slipway/contract'
import { startServer } from '@slipway/e2e/server'
import { newFleet } from './fleet.ts'
import { newPerson, type Person } from './person.ts'
import { quantile, report } from './report.ts'

const size = process.argv.includes('--quick') ? 50 : 1_000
const bodies = (ids: string[]): BatchCreate[] => [
  { action: 'vm.update', ids, add_tags: ['bench'] },
  { action: 'vm.update', ids, remove_tags: ['bench'] },
  { action: 'vm.stop', ids },
]

/** Milliseconds since the request. */
async function spans(person: Person, projectId: string, body: BatchCreate) {
  const start = performance.now()
  const { id } = await person.call(batchApi.create, { params: { projectId }, body })
  const accepted = performance.now() - start
  let first: number | null = null
  for (;;) {
    const batches = await person.call(batchApi.list, { params: { projectId } })
    const counts = batches.find((one) => one.id === id)?.counts
    const now = performance.now() - start
    if (counts && counts.waiting < counts.total) first ??= now
    if (counts?.failed) throw new Error(`${counts.failed} items of ${body.action} failed`)
    if (counts?.waiting === 0) return { accepted, first: first ?? now, last: now }
    await sleep(10)
  }
}

export async function benchBatches(): Promise<boolean> {
  const server = await startServer({ SLIPWAY_SIMULATED_SPEED: '20' })
  try {
    const person = await newPerson(server)
    const { project, vms } = await newFleet(person, size)
    const measured: Awaited<ReturnType<typeof spans>>[] = []
    for (const body of bodies(vms.map(({ id }) => id))) {
      // What the batch before has left to do is not its own.
      await sleep(2_000)
      measured.push(await spans(person, project.id, body))
    }
    const median = (name: 'accepted' | 'first' | 'last') =>
      quantile(
        measured.map((one) => one[name]),
        0.5,
      )
    return report(`A batch of ${size} VMs, simulated engine`, [
      { what: 'accepted (POST), median', value: median('accepted'), unit: 'ms', goal: 50 },
      { what: 'first result, median', value: median('first'), unit: 'ms', goal: 1_000 },
      { what: 'last result, median', value: median('last') / 1_000, unit: 's', goal: null },
    ])
  } finally {
    await server.stop()
  }
}
