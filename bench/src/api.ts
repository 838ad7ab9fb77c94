/** The API with 1,000 VMs on the simulated engine: one client, one connection. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '@slipway/e2e/server'
import { newFleet } from './fleet.ts'
import { newPerson } from './person.ts'
import { cpuSeconds, memoryMb } from './process.ts'
import { quantile, report, timed } from './report.ts'

const size = 1_000
const restSeconds = 20

export async function benchApi(): Promise<boolean> {
  const server = await startServer({ SLIPWAY_SIMULATED_SPEED: '20' })
  try {
    const person = await newPerson(server)
    const fleet = await newFleet(person, size)
    const path = `/api/projects/${fleet.project.id}/vms`
    const last = fleet.vms.at(-1)?.id ?? ''
    const list = await timed(60, () => person.get(path))
    const one = await timed(500, () => person.get(`${path}/${last}`))
    await sleep(2_000)
    const before = await cpuSeconds(server.pid)
    await sleep(restSeconds * 1_000)
    const rest = ((await cpuSeconds(server.pid)) - before) / restSeconds
    return report(`API with ${size} VMs, simulated engine`, [
      { what: 'create one VM (POST), median', value: quantile(fleet.posts, 0.5), unit: 'ms', goal: 50 },
      { what: 'create one VM (POST), 99 %', value: quantile(fleet.posts, 0.99), unit: 'ms', goal: null },
      { what: 'full list, median', value: quantile(list, 0.5), unit: 'ms', goal: 30 },
      { what: 'full list, 99 %', value: quantile(list, 0.99), unit: 'ms', goal: null },
      { what: 'one VM, median', value: quantile(one, 0.5), unit: 'ms', goal: 1.4 },
      { what: 'one VM, 99 %', value: quantile(one, 0.99), unit: 'ms', goal: null },
      { what: 'memory of the server', value: await memoryMb(server.pid), unit: 'MB', goal: 140 },
      { what: 'CPU of the server at rest', value: rest * 100, unit: '%', goal: 0.3 },
    ])
  } finally {
    await server.stop()
  }
}
