/**
 * Warm starts beside cold ones, with and without a guest that is kept ready, and what suspended VMs take to be back: servers
 * on this host, one of which boots every VM, in turns, so that all see the same load.
 */
import { execFile, spawn } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hostApi, projectApi, sshKeyApi, type VmStatus, vmApi } from '@slipway/contract'
import { clear, guestsOf, newDataDir, newKeyPair, startRealServer } from '@slipway/e2e/real'
import { prepare, viaSlipway } from './create-to-ssh.ts'
import { newPerson } from './person.ts'
import { quantile, report } from './report.ts'
import { standstillsIn } from './standstill.ts'

const run = promisify(execFile)

/** How many starts of each kind; those that boot are only there to compare with, and take long. */
interface Starts {
  warm: number
  cold: number
}
const wakes = 12
const forks = 10
const clones = 20
/** Processes that do nothing but take what they get of the processor. */
const loads = 4

/** A server with a user who has a project and a key in it. */
async function openSide(settings: Record<string, string>, templateId = 'starter') {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir, settings)
  const person = await newPerson(server)
  const { file, publicKey } = await newKeyPair(dataDir)
  const key = await person.call(sshKeyApi.create, { body: { key_name: 'bench', ssh_public_key: publicKey } })
  const { id: projectId } = await person.call(projectApi.create, { body: { name: 'bench' } })
  await prepare(person, templateId)
  const body = { template_id: templateId, ssh_key_id: key.id }
  const at = (vmId: string) => ({ params: { projectId, vmId } })
  const side = {
    dataDir,
    server,
    person,
    key: file,
    create: () => viaSlipway(person, { projectId }, body, file),
    at,
    async until(vmId: string, status: VmStatus): Promise<void> {
      while ((await person.call(vmApi.get, at(vmId))).status !== status) await sleep(20)
    },
    async delete(vmId: string): Promise<void> {
      await person.call(vmApi.delete, at(vmId))
      while ((await guestsOf(dataDir)).some(({ machineId }) => machineId === vmId)) await sleep(50)
    },
    /** Megabytes that its guests hold; what several share counts in parts. */
    async memoryMb(): Promise<number> {
      const guests = await guestsOf(dataDir)
      const all = await Promise.all(
        guests.map(async ({ pid }) => {
          const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
          return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? Number.NaN) / 1024
        }),
      )
      return all.reduce((sum, one) => sum + one, 0)
    },
    async close(): Promise<void> {
      await server.stop()
      await clear(dataDir)
    },
  }
  return side
}
type Side = Awaited<ReturnType<typeof openSide>>

/** The first VM of a kind boots; after it a guest is frozen in the background. */
async function freeze({ create, delete: remove, dataDir }: Side): Promise<void> {
  await remove((await create()).vm.id)
  for (;;) {
    const names = await readdir(join(dataDir, 'warm')).catch(() => [])
    if (names.some((name) => /^[0-9a-f]{64}$/.test(name))) return
    await sleep(500)
  }
}

/** Waits until a guest is kept ready. */
async function fillReserve({ dataDir }: Side): Promise<void> {
  const warm = join(dataDir, 'warm')
  for (;;) {
    for (const name of await readdir(warm))
      if ((await stat(join(warm, name, 'reserved')).catch(() => null)) !== null) return
    await sleep(100)
  }
}

/** Milliseconds from the create call to a first login, of starts in turns. */
async function startInTurns(sides: Record<'cold' | 'warm' | 'reserve', Side>, starts: Starts) {
  const times = { cold: [] as number[], warm: [] as number[], reserve: [] as number[] }
  for (let turn = 0; turn < starts.warm; turn++)
    for (const name of ['cold', 'warm', 'reserve'] as const) {
      if (name === 'cold' && turn >= starts.cold) continue
      // No other is in the way of what is measured.
      await fillReserve(sides.reserve)
      const side = sides[name]
      const { total, vm } = await side.create()
      times[name].push(total / 1000)
      await side.delete(vm.id)
    }
  return times
}

/** Suspends a VM, and logs in by its name; milliseconds of both. */
async function sleepAndWake(side: Side, vmId: string, port: number): Promise<[number, number]> {
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR']
  const start = performance.now()
  await side.person.call(vmApi.suspend, side.at(vmId))
  await side.until(vmId, 'suspended')
  const suspended = performance.now()
  await run('ssh', [
    ...options.flatMap((option) => ['-o', option]),
    ...['-i', side.key, '-p', `${port}`, `${vmId}@127.0.0.1`, 'true'],
  ])
  const woken = performance.now()
  await side.until(vmId, 'running')
  return [suspended - start, woken - suspended]
}

/** Forks a running VM; seconds until the copy runs. */
async function fork(side: Side, vmId: string): Promise<number> {
  const start = performance.now()
  const copies = await side.person.call(vmApi.fork, {
    ...side.at(vmId),
    body: { name: 'copy', count: 1 },
  })
  for (const { id } of copies) await side.until(id, 'running')
  const ready = performance.now()
  for (const { id } of copies) await side.delete(id)
  return (ready - start) / 1000
}

async function openSides(templateId: string) {
  const warm = await openSide({ SLIPWAY_WARM: 'on', SLIPWAY_RESERVE: '0' }, templateId)
  const reserve = await openSide({ SLIPWAY_WARM: 'on', SLIPWAY_RESERVE: '1' }, templateId)
  const cold = await openSide({ SLIPWAY_WARM: 'off' }, templateId)
  await freeze(warm)
  await freeze(reserve)
  // Its image is read once before it is measured, as that of the others was.
  await cold.delete((await cold.create()).vm.id)
  return { cold, warm, reserve }
}

const seconds = (what: string, values: number[] | undefined, share: number, goal: number | null) => ({
  what: `${what}, P${share * 100}`,
  value: quantile(values ?? [], share),
  unit: 's',
  goal,
})

/** Goals in seconds: medians, and the 95th of a hundred where there is one. */
const startLines = (
  times: Awaited<ReturnType<typeof startInTurns>>,
  goals: { warm: number; warm95: number | null; reserve: number },
) => [
  seconds('POST to first login, cold', times.cold, 0.5, null),
  seconds('POST to first login, warm', times.warm, 0.5, goals.warm),
  seconds('POST to first login, warm', times.warm, 0.95, goals.warm95),
  seconds('POST to first login, warm', times.warm, 0.99, null),
  seconds('POST to first login, kept ready', times.reserve, 0.5, goals.reserve),
  seconds('POST to first login, kept ready', times.reserve, 0.95, null),
  seconds('POST to first login, kept ready', times.reserve, 0.99, null),
  {
    what: 'warm to cold, medians',
    value: quantile(times.warm, 0.5) / quantile(times.cold, 0.5),
    unit: 'x',
    goal: 0.3,
  },
  {
    what: 'kept ready to cold, medians',
    value: quantile(times.reserve, 0.5) / quantile(times.cold, 0.5),
    unit: 'x',
    goal: 0.1,
  },
]

const starterGoals = { warm: 1, warm95: 2, reserve: 0.4 }

/** Starts alone, in turns. */
async function benchStarts(
  { name, templateId, starts }: { name: string; templateId: string; starts: Starts },
  goals: Parameters<typeof startLines>[1],
): Promise<boolean> {
  const sides = await openSides(templateId)
  try {
    const times = await startInTurns(sides, starts)
    const part = `Warm starts, ${name}, ${starts.warm} of each, ${acceleratorOf(sides.warm)}`
    return report(part, startLines(times, goals))
  } finally {
    for (const side of Object.values(sides)) await side.close()
  }
}

/** The same starts of Debian 13, which takes longer. */
export const benchWarmDebian = () =>
  benchStarts(
    { name: 'Debian 13', templateId: 'base', starts: { warm: 12, cold: 4 } },
    { warm: 3, warm95: null, reserve: 0.6 },
  )

/** Starts on a host that has four other things to do all the time. */
export async function benchWarmUnderLoad(): Promise<boolean> {
  const others = Array.from({ length: loads }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  try {
    return await benchStarts(
      {
        name: `Starter Linux beside ${loads} busy processes`,
        templateId: 'starter',
        starts: { warm: 20, cold: 3 },
      },
      starterGoals,
    )
  } finally {
    for (const other of others) other.kill('SIGKILL')
  }
}

const acceleratorOf = ({ server }: Side) => server.output().match(/TCG|KVM/)?.[0] ?? ''

export async function benchWarm(): Promise<boolean> {
  const sides = await openSides('starter')
  const { warm, cold } = sides
  try {
    const times = await startInTurns(sides, { warm: 50, cold: 12 })
    const { ssh_gateway: gateway } = await warm.person.call(hostApi.get, {})
    if (!gateway) throw new Error('SSH by name is switched off')
    const { vm } = await warm.create()
    const spans: [number, number][] = []
    for (let turn = 0; turn < wakes; turn++) spans.push(await sleepAndWake(warm, vm.id, gateway.port))
    const forked: number[] = []
    for (let turn = 0; turn < forks; turn++) forked.push(await fork(warm, vm.id))
    await warm.person.call(vmApi.stop, { ...warm.at(vm.id), body: { force: true } })
    await warm.until(vm.id, 'stopped')
    const still = (await standstillsIn(join(warm.dataDir, 'machines', vm.id))).map(({ ms }) => ms / 1000)
    await warm.delete(vm.id)

    for (const side of [warm, cold]) for (let n = 0; n < clones; n++) await side.create()
    const [shared, own] = [await warm.memoryMb(), await cold.memoryMb()]

    const [suspending, waking] = [0, 1].map((i) => spans.map((span) => (span[i] ?? Number.NaN) / 1000))
    return report(`Warm starts and suspended VMs, Starter Linux, ${acceleratorOf(warm)}`, [
      ...startLines(times, starterGoals),
      {
        what: `memory of ${clones} warm VMs to ${clones} cold ones`,
        value: shared / own,
        unit: 'x',
        goal: 0.5,
      },
      seconds('suspend until it is suspended', suspending, 0.5, null),
      seconds('suspended until a login by name', waking, 0.5, null),
      seconds('suspended until a login by name', waking, 0.95, 2),
      seconds('fork until the copy runs', forked, 0.5, null),
      // Suspending lets it stand still as well, and never goes on from that.
      seconds('a VM that is forked stands still', still.slice(-forks), 0.5, 0.3),
      seconds('a VM that is forked stands still', still.slice(-forks), 0.95, null),
    ])
  } finally {
    for (const side of Object.values(sides)) await side.close()
  }
}
