/** The API with 1,000 VMs on the simulated engine: one client, one connection. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@slipway/e2e/postgres'
import { startServer } from '@slipway/e2e/server'
import { newFleet } from './fleet.ts'
import { newPerson } from './person.ts'
import { cpuSeconds, memoryMb } from './process.ts'
import { quantile, report, timed } from './report.ts'

const size = 1_000
/** Whole rounds of what is done every 10 and every 30 seconds: a part of one says more of when it began than of the server. */
const restSeconds = 60

interface Figures {
  posts: number[]
  list: number[]
  one: number[]
  memory: number
  /** Share of a core. */
  rest: number
}

async function measure(settings: Record<string, string>): Promise<Figures> {
  const server = await startServer({ SLIPWAY_SIMULATED_SPEED: '20', ...settings })
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
    return { posts: fleet.posts, list, one, memory: await memoryMb(server.pid), rest }
  } finally {
    await server.stop()
  }
}

export async function benchApi(): Promise<boolean> {
  const { posts, list, one, memory, rest } = await measure({})
  return report(`API with ${size} VMs, simulated engine`, [
    { what: 'create one VM (POST), median', value: quantile(posts, 0.5), unit: 'ms', goal: 50 },
    { what: 'create one VM (POST), 99 %', value: quantile(posts, 0.99), unit: 'ms', goal: null },
    { what: 'full list, median', value: quantile(list, 0.5), unit: 'ms', goal: 30 },
    { what: 'full list, 99 %', value: quantile(list, 0.99), unit: 'ms', goal: null },
    { what: 'one VM, median', value: quantile(one, 0.5), unit: 'ms', goal: 1.4 },
    { what: 'one VM, 99 %', value: quantile(one, 0.99), unit: 'ms', goal: null },
    { what: 'memory of the server', value: memory, unit: 'MB', goal: 140 },
    { what: 'CPU of the server at rest', value: rest * 100, unit: '%', goal: 0.3 },
  ])
}

/** The same beside SQLite, with a PostgreSQL on this machine: ratios of medians. */
export async function benchApiOnPostgres(): Promise<boolean> {
  const beside = await measure({})
  const postgres = await startPostgres({ durable: true })
  try {
    const figures = await measure({ SLIPWAY_DATABASE_URL: postgres.url })
    const times = (name: 'posts' | 'list' | 'one') =>
      quantile(figures[name], 0.5) / quantile(beside[name], 0.5)
    return report(`API with ${size} VMs on PostgreSQL, times SQLite`, [
      { what: 'create one VM (POST)', value: times('posts'), unit: 'x', goal: 2 },
      { what: 'full list', value: times('list'), unit: 'x', goal: 1.5 },
      { what: 'one VM', value: times('one'), unit: 'x', goal: 2 },
      { what: 'create one VM (POST), median', value: quantile(figures.posts, 0.5), unit: 'ms', goal: null },
      { what: 'one VM, median', value: quantile(figures.one, 0.5), unit: 'ms', goal: null },
      { what: 'memory of the server', value: figures.memory, unit: 'MB', goal: null },
      { what: 'CPU of the server at rest', value: figures.rest * 100, unit: '%', goal: null },
    ])
  } finally {
    await postgres.remove()
  }
}
