/**
 * A plain call of one user, and the health of the server, while another floods it with their own longest lists: against the
 * same calls on the same server before. Simulated engine.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { diskApi, projectApi } from '@slipway/contract'
import { startServer } from '@slipway/e2e/server'
import { newFleet } from './fleet.ts'
import { newPerson, type Person } from './person.ts'
import { type Figure, quantile, report } from './report.ts'

const isQuick = process.argv.includes('--quick')
const size = isQuick ? { vms: 50, disks: 100 } : { vms: 500, disks: 3_000 }
const connections = 60
const floodMs = isQuick ? 2_000 : 8_000
/** Between calls: somebody who clicks, not a load test. */
const pauseMs = 20

interface Times {
  list: number[]
  health: number[]
}

/** Milliseconds of calls one after the other, for so long and at least a few times. */
async function timesOf(person: Person, path: string, forMs: number): Promise<number[]> {
  const spans: number[] = []
  const end = performance.now() + forMs
  while (performance.now() < end || spans.length < 3) {
    const start = performance.now()
    await person.get(path)
    spans.push(performance.now() - start)
    await sleep(pauseMs)
  }
  return spans
}

export async function benchFairShare(): Promise<boolean> {
  const server = await startServer({ SLIPWAY_SIMULATED_SPEED: '20' })
  try {
    const [flooder, user, watcher] = [
      await newPerson(server),
      await newPerson(server),
      await newPerson(server),
    ]
    const { project } = await newFleet(flooder, size.vms)
    const params = { projectId: project.id }
    for (let i = 0; i < size.disks; i++)
      await flooder.call(diskApi.create, {
        params,
        body: { name: `disk-${i}`, size: '1Gi', source: 'EMPTY', description: 'One of very many' },
      })
    while ((await flooder.call(diskApi.list, { params })).some(({ status }) => status !== 'available'))
      await sleep(500)
    const own = await user.call(projectApi.create, { body: { name: 'plain' } })
    const measure = async (): Promise<Times> => {
      const [list, health] = await Promise.all([
        timesOf(user, `/api/projects/${own.id}/vms`, floodMs),
        timesOf(watcher, '/api/health', floodMs),
      ])
      return { list, health }
    }
    await measure()
    const alone = await measure()
    const of = `/api/projects/${project.id}`
    const floods = {
      disks: `${of}/disks`,
      VMs: `${of}/vms`,
      export: '/api/user/export',
      activity: '/api/user/activity?limit=200',
      usage: `${of}/usage?range=hour`,
      'usage of VMs': `${of}/usage/vms`,
      quota: '/api/user/quota',
    }
    const figures: Figure[] = [
      { what: 'alone: list, 99 %', value: quantile(alone.list, 0.99), unit: 'ms', goal: null },
      { what: 'alone: health, 99 %', value: quantile(alone.health, 0.99), unit: 'ms', goal: null },
    ]
    for (const [what, path] of Object.entries(floods)) {
      const flood = new Worker(new URL('./flood.worker.ts', import.meta.url), {
        workerData: { url: new URL(path, server.url).href, cookie: flooder.cookie, connections },
      })
      await sleep(500)
      const beside = await measure()
      flood.postMessage('end')
      const [answers] = (await once(flood, 'message')) as [Record<string, number>]
      console.log(`  answers to the flood of ${what}:`, answers)
      await sleep(1_000)
      figures.push(
        {
          what: `beside ${what}: list, 99 %, more than alone`,
          value: quantile(beside.list, 0.99) - quantile(alone.list, 0.99),
          unit: 'ms',
          goal: 100,
        },
        { what: `beside ${what}: list, median`, value: quantile(beside.list, 0.5), unit: 'ms', goal: null },
        { what: `beside ${what}: health, 99 %`, value: quantile(beside.health, 0.99), unit: 'ms', goal: 50 },
      )
    }
    return report(
      `A plain call beside ${connections} connections of one account with ${size.vms} VMs and ${size.disks} disks`,
      figures,
    )
  } finally {
    await server.stop()
  }
}
