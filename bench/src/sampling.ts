/** What it costs the server that VMs run and are measured, at rest: nobody looks, nothing is asked for. */
import { setTimeout as sleep } from 'node:timers/promises'
import { clear, newDataDir, startRealServer } from '@slipway/e2e/real'
import { type Server, startServer } from '@slipway/e2e/server'
import { newFleet } from './fleet.ts'
import { newPerson } from './person.ts'
import { cpuSeconds } from './process.ts'
import { report } from './report.ts'

const measuredS = 60
const simulated = 100
/** Real guests translate their idling too, and leave less of the host the more they are. */
const real = 8

/** Percent of one core. */
async function atRest(server: Server): Promise<number> {
  await sleep(20_000)
  const before = await cpuSeconds(server.pid)
  await sleep(measuredS * 1000)
  return (((await cpuSeconds(server.pid)) - before) / measuredS) * 100
}

async function withFleet(server: Server, size: number): Promise<{ none: number; all: number }> {
  const person = await newPerson(server)
  const none = await atRest(server)
  await newFleet(person, size)
  return { none, all: await atRest(server) }
}

export async function benchSampling(): Promise<boolean> {
  const pretended = await startServer({ SLIPWAY_SIMULATED_SPEED: '20' })
  const dataDir = await newDataDir()
  try {
    const one = await withFleet(pretended, simulated)
    await pretended.stop()
    const server = await startRealServer(dataDir)
    const other = await withFleet(server, real).finally(() => server.stop())
    const more = ((other.all - other.none) / real) * 100
    return report('Running VMs that nobody looks at: CPU of the server, of one core', [
      { what: 'no VM', value: one.none, unit: '%', goal: null },
      { what: `${simulated} simulated VMs, more than none`, value: one.all - one.none, unit: '%', goal: 1 },
      { what: `${real} real VMs, more than none`, value: other.all - other.none, unit: '%', goal: null },
      { what: 'the same for 100 real VMs', value: more, unit: '%', goal: 1 },
    ])
  } finally {
    await pretended.stop()
    await clear(dataDir)
  }
}
