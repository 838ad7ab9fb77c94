/**
 * A data disk that is made larger while its guest runs: from the call until the guest knows it, against the same command of
 * QEMU, sent by hand to the same guest. A root disk, until its file system is as large. And processors and memory, until the guest
 * makes use of them.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { diskApi, type Vm, vmApi } from '@slipway/contract'
import { clear, guestsOf, newDataDir, startRealServer } from '@slipway/e2e/real'
import { openGuest } from './by-hand.ts'
import { quantile, report } from './report.ts'
import { startVmWithDisk } from './vm-with-disk.ts'

const TIMES = 20
const SIZES = 5
const GIB = 1024 ** 3

export async function benchGrowth(): Promise<boolean> {
  const [dataDir, home] = await Promise.all([newDataDir(), newDataDir()])
  const server = await startRealServer(dataDir)
  const guests: ReturnType<typeof watchGuest>[] = []
  try {
    const { person, params, vm, diskId, key, device } = await startVmWithDisk(server, home)
    const guest = watchGuest(vm, key)
    guests.push(guest)
    const dataSize = await guest.follow(`cat /sys/block/${device}/size`, (sectors) => sectors * 512)
    await dataSize.reaches(GIB)

    const answered: number[] = []
    const viaSlipway: number[] = []
    for (let gib = 2; gib < 2 + TIMES; gib++) {
      const start = performance.now()
      await person.call(diskApi.update, { params: { ...params, diskId }, body: { size: `${gib}Gi` } })
      answered.push(performance.now() - start)
      await dataSize.reaches(gib * GIB)
      viaSlipway.push(performance.now() - start)
      // A disk takes its next size once it has the one before.
      while ((await person.call(diskApi.list, { params })).some(({ next_size_gb }) => next_size_gb !== null))
        await sleep(20)
    }

    const rootSize = await guest.follow(
      "df -k / | tail -n 1 | awk '{ print $2 }'",
      (kibibytes) => kibibytes * 1024,
    )
    const begun = performance.now()
    await person.call(vmApi.update, { params: { ...params, vmId: vm.id }, body: { root_disk_gb: 30 } })
    // What a file system needs for itself is no room for files.
    await rootSize.reaches(28 * GIB)
    const rootMs = performance.now() - begun

    const processors = await guest.follow('nproc', (count) => count)
    const memory = await guest.follow("awk '/^MemTotal/ { print $2 }' /proc/meminfo", (kib) => kib * 1024)
    const sizeMs: number[] = []
    for (let more = 1; more <= SIZES; more++) {
      const start = performance.now()
      const body = { cpu: vm.cpu + more, memory_mb: vm.memory_mb + more * 256 }
      await person.call(vmApi.update, { params: { ...params, vmId: vm.id }, body })
      await processors.reaches(body.cpu)
      // Its kernel keeps some of what it booted with to itself.
      await memory.reaches((body.memory_mb - 64) * 1024 ** 2)
      sizeMs.push(performance.now() - start)
      while ((await person.call(vmApi.get, { params: { ...params, vmId: vm.id } })).size_due !== null)
        await sleep(20)
    }

    await server.stop()
    const [living] = await guestsOf(dataDir)
    if (!living) throw new Error('The guest is gone')
    const { line } = await openGuest(join(dataDir, 'machines', vm.id), living.pid)
    const byHand: number[] = []
    const node = await nodeOf(line.execute, GIB * (1 + TIMES))
    for (let gib = 2 + TIMES; gib < 2 + 2 * TIMES; gib++) {
      const start = performance.now()
      await line.execute('block_resize', { 'node-name': node, size: gib * GIB })
      await dataSize.reaches(gib * GIB)
      byHand.push(performance.now() - start)
    }
    line.close()
    const [hand, ours] = [quantile(byHand, 0.5), quantile(viaSlipway, 0.5)]
    return report(`A disk made larger while its guest runs, ${TIMES} times`, [
      { what: 'answered, median', value: quantile(answered, 0.5), unit: 'ms', goal: null },
      { what: 'seen in the guest, median', value: ours, unit: 'ms', goal: null },
      { what: 'seen in the guest, 95 %', value: quantile(viaSlipway, 0.95), unit: 'ms', goal: null },
      { what: 'by hand, median', value: hand, unit: 'ms', goal: null },
      { what: 'against by hand', value: ours / hand, unit: 'x', goal: null },
      {
        what: 'one more CPU and 256 MB, until used, median',
        value: quantile(sizeMs, 0.5),
        unit: 'ms',
        goal: null,
      },
      { what: 'root disk, until its file system is as large', value: rootMs, unit: 'ms', goal: null },
    ])
  } finally {
    for (const guest of guests) guest.end()
    await server.stop()
    await clear(dataDir)
    await clear(home)
  }
}

/** The node of QEMU that is a disk of this size. */
async function nodeOf(execute: (command: string) => Promise<unknown>, bytes: number): Promise<string> {
  const nodes = (await execute('query-named-block-nodes')) as {
    'node-name': string
    drv: string
    image: { 'virtual-size': number }
  }[]
  const node = nodes.find(({ drv, image }) => drv === 'qcow2' && image['virtual-size'] === bytes)
  if (!node) throw new Error('QEMU has no such disk')
  return node['node-name']
}

/** One login that stays, so that no figure holds the time of another. */
function watchGuest(vm: Vm, key: string) {
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR']
  const logins: ReturnType<typeof spawn>[] = []
  return {
    async follow(command: string, toBytes: (shown: number) => number) {
      const login = spawn('ssh', [
        ...options.flatMap((option) => ['-o', option]),
        ...['-i', key, '-p', `${vm.ssh_port}`, `root@${vm.ip_address}`],
        `while :; do ${command} 2> /dev/null; sleep 0.01; done`,
      ])
      logins.push(login)
      let bytes = 0
      const waiting = new Set<() => void>()
      createInterface(login.stdout).on('line', (shown) => {
        bytes = toBytes(Number(shown))
        for (const look of waiting) look()
      })
      return {
        reaches: (wanted: number) =>
          new Promise<void>((resolve) => {
            const look = () => {
              if (bytes < wanted) return
              waiting.delete(look)
              resolve()
            }
            waiting.add(look)
            look()
          }),
      }
    },
    end(): void {
      for (const login of logins) login.kill()
    },
  }
}
