/**
 * Incremental snapshots of one disk that nothing was written to, from the call to the moment they are ready: what each costs
 * beyond its bytes, and whether the last of a long chain costs more than the first.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { diskApi, diskSnapshotApi, projectApi } from '@slipway/contract'
import { clear, newDataDir, startRealServer } from '@slipway/e2e/real'
import { newPerson } from './person.ts'
import { quantile, report, timed } from './report.ts'

const links = 40
/** So many at each end are compared: one alone is at the mercy of the host. */
const atEachEnd = 5
const goal = 1.5
const pollMs = 25

export async function benchSnapshotChain(): Promise<boolean> {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir)
  try {
    const person = await newPerson(server)
    const { id: projectId } = await person.call(projectApi.create, { body: { name: 'bench' } })
    const params = { projectId }
    const body = { name: 'data', size: '1Gi', source: 'EMPTY' as const }
    const { id: disk_id } = await person.call(diskApi.create, { params, body })
    while ((await person.call(diskApi.list, { params })).some(({ status }) => status !== 'available'))
      await sleep(pollMs)

    async function take(link: number): Promise<void> {
      const asked = { name: `link ${link}`, disk_id, snapshot_type: 'incremental' as const }
      const { id } = await person.call(diskSnapshotApi.create, { params, body: asked })
      for (;;) {
        const made = (await person.call(diskSnapshotApi.list, { params })).find((one) => one.id === id)
        if (made?.status === 'ready') return
        if (made?.status === 'failed') throw new Error(made.status_message ?? 'failed')
        await sleep(pollMs)
      }
    }
    const spans = await timed(links, take)
    const first = quantile(spans.slice(0, atEachEnd), 0.5)
    const last = quantile(spans.slice(-atEachEnd), 0.5)
    return report(`A chain of ${links} incremental snapshots of an empty disk`, [
      { what: `first ${atEachEnd}, median`, value: first, unit: 'ms', goal: null },
      { what: `last ${atEachEnd}, median`, value: last, unit: 'ms', goal: null },
      { what: 'last to first', value: last / first, unit: 'x', goal },
    ])
  } finally {
    await server.stop()
    await clear(dataDir)
  }
}
