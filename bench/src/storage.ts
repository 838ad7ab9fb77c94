/**
 * Snapshots and disks with real bytes, from the call to the moment they are ready, against the bare work by hand: the
 * same commands, the same guest, the same data, in turns. By hand nothing is checked, named or stored; what counts is
 * when the bytes are on the disk of the host.
 */
import { execFile } from 'node:child_process'
import { rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  diskApi,
  diskSnapshotApi,
  projectApi,
  sshKeyApi,
  type Vm,
  vmApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { clear, guestsOf, newDataDir, newKeyPair, runShown, startRealServer } from '@slipway/e2e/real'
import { type Copy, convert, copyDisks, copyFiles, openGuest, removeCopies, type Span } from './by-hand.ts'
import { newPerson } from './person.ts'
import { type Figure, quantile, report } from './report.ts'
import { standstillsIn } from './standstill.ts'

const run = promisify(execFile)
const turns = 5
const goal = 1.2
/** Of random bytes on the root disk, and as much again on a data disk; so many change between incremental snapshots. */
const dataMb = 128
const pollMs = 25

interface Item {
  id: string
  status: string
  status_message: string | null
}

/** The same port for every server, so that one person can talk to all of them. */
async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

async function virtualBytes(path: string): Promise<number> {
  const { stdout } = await run('qemu-img', ['info', '-U', '--output=json', path])
  return (JSON.parse(stdout) as { 'virtual-size': number })['virtual-size']
}

/**
 * Memory of the host that was in use a moment ago is faster than such that was not, most of all where the host is a
 * virtual machine itself: whoever copies first would pay for both.
 */
async function prime(dir: string): Promise<void> {
  const file = join(dir, 'prime')
  // Not flushed: it is gone before it would be written.
  await run('dd', ['if=/dev/zero', `of=${file}`, 'bs=1M', `count=${4 * dataMb}`])
  await rm(file)
}

export async function benchStorage(): Promise<boolean> {
  const dataDir = await newDataDir()
  const settings = { SLIPWAY_PORT: `${await freePort()}` }
  let server = await startRealServer(dataDir, settings)
  const slipway = new Map<string, number[]>()
  const hand = new Map<string, Span[]>()
  /** When full snapshots were taken, by the clock. */
  const full: { from: number; to: number }[] = []
  try {
    const person = await newPerson(server)
    const { file, publicKey } = await newKeyPair(dataDir)
    const key = await person.call(sshKeyApi.create, {
      body: { key_name: 'bench', ssh_public_key: publicKey },
    })
    const { id: projectId } = await person.call(projectApi.create, { body: { name: 'bench' } })
    const params = { projectId }
    const machine = { template_id: 'starter', ssh_key_id: key.id }
    let vm: Vm = await person.call(vmApi.create, { params, body: { name: 'bench', ...machine } })
    const ofVm = { params: { ...params, vmId: vm.id } }
    const { id: diskId } = await person.call(diskApi.create, {
      params,
      body: { name: 'data', size: '1Gi', source: 'EMPTY' as const },
    })

    /** Waits for the VM to be in a state that lasts. */
    async function untilVm(status: Vm['status']): Promise<void> {
      for (;;) {
        vm = await person.call(vmApi.get, ofVm)
        if (vm.status === status) return
        if (vm.status === 'failed' || vm.status === 'error') throw new Error(vm.status_message ?? vm.status)
        await sleep(pollMs)
      }
    }
    const inGuest = (command: string) =>
      runShown(`ssh -p ${vm.ssh_port} root@${vm.ip_address}`, file, command)
    /** Waits until one of a list is made. */
    async function ready(list: () => Promise<Item[]>, id: string): Promise<void> {
      for (;;) {
        const one = (await list()).find((each) => each.id === id)
        if (one?.status === 'ready' || one?.status === 'available') return
        if (one?.status === 'failed') throw new Error(one.status_message ?? 'failed')
        await sleep(pollMs)
      }
    }
    const disks = () => person.call(diskApi.list, { params, query: {} })
    const vmSnapshots = () => person.call(vmSnapshotApi.list, { params, query: {} })
    const diskSnapshots = () => person.call(diskSnapshotApi.list, { params, query: {} })
    async function take(name: string, snapshot_type: 'disk' | 'full'): Promise<string> {
      const { id } = await person.call(vmSnapshotApi.create, { ...ofVm, body: { name, snapshot_type } })
      await ready(vmSnapshots, id)
      return id
    }
    async function takeDisk(name: string): Promise<string> {
      const body = { name, disk_id: diskId, snapshot_type: 'incremental' as const }
      const { id } = await person.call(diskSnapshotApi.create, { params, body })
      await ready(diskSnapshots, id)
      return id
    }
    async function diskOf(diskSnapshotId: string): Promise<string> {
      const { id } = await person.call(diskSnapshotApi.createDisk, {
        params: { ...params, diskSnapshotId },
        body: { name: 'copy', size_gb: 1 },
      })
      await ready(disks, id)
      return id
    }

    await untilVm('running')
    await ready(disks, diskId)
    await person.call(diskApi.attach, { params: { ...params, diskId }, body: { vm_id: vm.id } })
    const device = `$(grep -lsx ${diskId.slice(0, 20)} /sys/block/vd*/serial | cut -d/ -f4)`
    await inGuest(`for i in $(seq 100); do [ -n "${device}" ] && exit 0; sleep 0.1; done; exit 1`)
    await inGuest('head -c 16777216 /dev/urandom > /run/random')
    const random = `for i in $(seq ${dataMb / 16}); do cat /run/random; done`
    const change = () => inGuest(`{ ${random}; } | dd of=/dev/${device} bs=1M conv=fsync 2>/dev/null`)
    await inGuest(`{ ${random}; } > /root/data; sync`)
    await change()

    const dir = join(dataDir, 'machines', vm.id)
    const [guestProcess] = await guestsOf(dataDir)
    if (!guestProcess) throw new Error('the guest was not found')
    const root: Copy = {
      node: 'root',
      virtualBytes: await virtualBytes(join(dir, 'root.qcow2')),
      what: 'top',
    }
    const volumeFile = join(dataDir, 'volumes', `${diskId}.qcow2`)
    const volume: Copy = { node: 'volume0', virtualBytes: await virtualBytes(volumeFile), what: 'full' }
    const count = <T>(map: Map<string, T[]>, what: string, value: T) =>
      map.set(what, [...(map.get(what) ?? []), value])
    async function measure<T>(what: string, turn: number, work: () => Promise<T>): Promise<T> {
      await prime(dataDir)
      const began = performance.now()
      const result = await work()
      if (turn > 0) count(slipway, what, performance.now() - began)
      return result
    }

    /** What the first call after a start costs the server is no part of what is measured. */
    async function warmUp(): Promise<void> {
      const body = { name: 'warm', size: '1Gi', source: 'EMPTY' as const }
      const { id } = await person.call(diskApi.create, { params, body })
      await ready(disks, id)
      await person.call(diskApi.delete, { params: { ...params, diskId: id } })
    }

    // The first turn makes what the others build upon, warms the page cache for both, and is not counted.
    for (let turn = 0; turn <= turns; turn++) {
      if (turn > 0) await change()
      await warmUp()
      const made = await measure('VM snapshot, disk', turn, () => take(`disk ${turn}`, 'disk'))
      const from = Date.now()
      const warm = await measure('VM snapshot, full', turn, () => take(`full ${turn}`, 'full'))
      if (turn > 0) full.push({ from, to: Date.now() })
      const increment = await measure('disk snapshot, incremental', turn, () => takeDisk(`inc ${turn}`))
      const copy = await measure('disk from a snapshot', turn, () => diskOf(increment))
      for (const snapshotId of [made, warm])
        await person.call(vmSnapshotApi.delete, { params: { ...params, snapshotId } })
      await person.call(diskApi.delete, { params: { ...params, diskId: copy } })

      await server.stop()
      const guest = await openGuest(dir, guestProcess.pid)
      const by = async (what: string, copies: Copy[], options: Parameters<typeof copyDisks>[2] = {}) => {
        await prime(dataDir)
        const span = await copyDisks(guest, copies, options)
        if (turn > 0) count(hand, what, span)
        await removeCopies(guest, copies)
      }
      const noteIn = `hand-${turn}`
      const notedBy = `hand-${turn - 1}`
      await by('VM snapshot, disk', [root, volume])
      await by('VM snapshot, full', [root, volume], { memory: true })
      const what = turn > 0 ? { notedBy } : 'full'
      await by('disk snapshot, incremental', [{ ...volume, what }], { noteIn })
      if (turn > 0)
        await guest.line.execute('block-dirty-bitmap-remove', { node: volume.node, name: notedBy })
      guest.line.close()
      const snapshot = join(dataDir, 'volume-snapshots', `${increment}.qcow2`)
      await prime(dataDir)
      const span = await convert(snapshot, join(dataDir, 'hand.qcow2'))
      if (turn > 0) count(hand, 'disk from a snapshot', span)
      server = await startRealServer(dataDir, settings)
    }

    const kept = await take('kept', 'disk')
    await person.call(vmApi.stop, { ...ofVm, body: { force: true } })
    await untilVm('stopped')
    const standing = (await standstillsIn(dir)).flatMap(({ at, ms }) =>
      full.some(({ from, to }) => at >= from && at <= to) ? [ms] : [],
    )
    for (let turn = 0; turn <= turns; turn++) {
      const before = (await vmSnapshots()).length
      await measure('restore of a stopped VM', turn, async () => {
        const at = { params: { ...params, snapshotId: kept }, body: { vm_id: vm.id } }
        await person.call(vmSnapshotApi.restore, at)
        await untilVm('stopped')
      })
      const made = await vmSnapshots()
      if (made.length !== before + 1) throw new Error('the restore left no safety point')
      const files = ['root', diskId].map((name) => ({
        from: join(dataDir, 'snapshots', kept, `${name}.qcow2`),
        to: join(dir, `hand-${name}.qcow2`),
      }))
      await prime(dataDir)
      const span = await copyFiles(files)
      if (turn > 0) count(hand, 'restore of a stopped VM', span)
      const safety = made.find(({ automatic }) => automatic)
      if (safety) {
        const at = { params: { ...params, snapshotId: safety.id } }
        await person.call(vmSnapshotApi.delete, at)
      }
    }

    const stored = Math.round((await stat(volumeFile)).size / 1024 ** 2)
    const figures = [...slipway].flatMap(([what, spans]): Figure[] => {
      const bare = hand.get(what) ?? []
      const ratios = spans.map((ms, i) => ms / (bare[i]?.safe ?? Number.NaN))
      const median = (values: number[]) => quantile(values, 0.5)
      return [
        { what: `${what}: call to ready`, value: median(spans), unit: 'ms', goal: null },
        { what: '  by hand, on disk', value: median(bare.map(({ safe }) => safe)), unit: 'ms', goal: null },
        {
          what: '  by hand, not flushed',
          unit: 'ms',
          goal: null,
          value: median(bare.map(({ complete }) => complete)),
        },
        { what: '  ratio, median of turns', value: median(ratios), unit: 'x', goal },
      ]
    })
    return report(`Storage, ${dataMb} MB on root and data disk (${stored} MB), ${turns} turns`, [
      ...figures,
      {
        what: 'guest stands still in a full snapshot',
        value: quantile(standing, 0.5),
        unit: 'ms',
        goal: 300,
      },
      { what: '  the longest', value: Math.max(...standing), unit: 'ms', goal: null },
    ])
  } finally {
    await server.stop()
    await clear(dataDir)
  }
}
