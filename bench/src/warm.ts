/**
 * Warm starts beside cold ones, and what suspended VMs take to be back: two servers on this host, one of which boots every
 * VM, in turns, so that both see the same load.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hostApi, projectApi, sshKeyApi, type VmStatus, vmApi } from '@slipway/contract'
import { clear, guestsOf, newDataDir, newKeyPair, startRealServer } from '@slipway/e2e/real'
import { prepare, viaSlipway } from './create-to-ssh.ts'
import { newPerson } from './person.ts'
import { quantile, report } from './report.ts'

const run = promisify(execFile)

const starts = 12
const wakes = 12
const clones = 8

/** A server with a user who has a project and a key in it. */
async function openSide(settings: Record<string, string>) {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir, settings)
  const person = await newPerson(server)
  const { file, publicKey } = await newKeyPair(dataDir)
  const key = await person.call(sshKeyApi.create, { body: { key_name: 'bench', ssh_public_key: publicKey } })
  const { id: projectId } = await person.call(projectApi.create, { body: { name: 'bench' } })
  await prepare(person, 'starter')
  const body = { template_id: 'starter', ssh_key_id: key.id }
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

export async function benchWarm(): Promise<boolean> {
  const warm = await openSide({ SLIPWAY_WARM: 'on' })
  const cold = await openSide({ SLIPWAY_WARM: 'off' })
  try {
    await freeze(warm)
    // Its image is read once before it is measured, as that of the other was.
    await cold.delete((await cold.create()).vm.id)
    const times = { warm: [] as number[], cold: [] as number[] }
    for (let turn = 0; turn < starts; turn++)
      for (const [name, side] of Object.entries({ warm, cold })) {
        const { total, vm } = await side.create()
        times[name as keyof typeof times].push(total / 1000)
        await side.delete(vm.id)
      }

    const { ssh_gateway: gateway } = await warm.person.call(hostApi.get, {})
    if (!gateway) throw new Error('SSH by name is switched off')
    const { vm } = await warm.create()
    const spans: [number, number][] = []
    for (let turn = 0; turn < wakes; turn++) spans.push(await sleepAndWake(warm, vm.id, gateway.port))
    await warm.delete(vm.id)

    for (const side of [warm, cold]) for (let n = 0; n < clones; n++) await side.create()
    const [shared, own] = [await warm.memoryMb(), await cold.memoryMb()]

    const [suspending, waking] = [0, 1].map((i) => spans.map((span) => (span[i] ?? Number.NaN) / 1000))
    const seconds = (what: string, values: number[] | undefined, share: number, goal: number | null) => ({
      what: `${what}, ${share === 0.5 ? 'P50' : 'P95'}`,
      value: quantile(values ?? [], share),
      unit: 's',
      goal,
    })
    return report(
      `Warm starts and suspended VMs, Starter Linux, ${warm.server.output().match(/TCG|KVM/)?.[0] ?? ''}`,
      [
        seconds('POST to first login, cold', times.cold, 0.5, null),
        seconds('POST to first login, warm', times.warm, 0.5, 1),
        seconds('POST to first login, warm', times.warm, 0.95, 2),
        {
          what: 'warm to cold, medians',
          value: quantile(times.warm, 0.5) / quantile(times.cold, 0.5),
          unit: 'x',
          goal: 0.3,
        },
        {
          what: `memory of ${clones} warm VMs to ${clones} cold ones`,
          value: shared / own,
          unit: 'x',
          goal: 0.5,
        },
        seconds('suspend until it is suspended', suspending, 0.5, null),
        seconds('suspended until a login by name', waking, 0.5, null),
        seconds('suspended until a login by name', waking, 0.95, 2),
      ],
    )
  } finally {
    await warm.close()
    await cold.close()
  }
}
