/**
 * Random operations on VMs, disks and snapshots, beside a model that says what must come of them. The model keeps a
 * word where the real things keep bytes.
 */
import type { VmSnapshot } from '@slipway/contract'
import { expect } from 'vitest'
import type { openDeskAt } from './desk.test-kit.ts'

/** Where a word is written: on the root disk of a VM, in its memory, or on a disk it has. */
export type Place = 'root' | 'memory' | { diskId: string }

export interface StorageWorld {
  desk: Awaited<ReturnType<typeof openDeskAt>>
  /** In a running guest. */
  write: (vmId: string, place: Place, word: string) => Promise<void>
  read: (vmId: string, place: Place) => Promise<string>
  /** Closes the server and starts another. */
  restartServer: () => Promise<void>
}

interface ModelVm {
  on: boolean
  root: string
  memory: string
}
interface ModelDisk {
  vmId: string | null
  word: string
}
interface ModelVmSnapshot {
  vmId: string
  root: string
  memory: string | null
  disks: Map<string, string>
}
interface ModelDiskSnapshot {
  diskId: string
  word: string
}

/** The same numbers for the same seed (mulberry32). */
function makeDice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

/** What tells most about storage is done more often. */
const often: Record<string, number> = { write: 6, snapshotVm: 2, restore: 3, snapshotDisk: 3, attach: 2 }

export async function playAtRandom(
  { desk, write, read, restartServer }: StorageWorld,
  { seed, operations, maxVms }: { seed: number; operations: number; maxVms: number },
): Promise<Map<string, number>> {
  const roll = makeDice(seed)
  const vms = new Map<string, ModelVm>()
  const disks = new Map<string, ModelDisk>()
  const vmSnapshots = new Map<string, ModelVmSnapshot>()
  const diskSnapshots = new Map<string, ModelDiskSnapshot>()
  /** How often each operation was done. */
  const done = new Map<string, number>()
  let words = 0

  function pick<V>(map: Map<string, V>, fits: (value: V) => boolean = () => true): [string, V] | null {
    const fitting = [...map].filter(([, value]) => fits(value))
    return fitting[roll(fitting.length || 1)] ?? null
  }
  const disksOf = (vmId: string) => [...disks].filter(([, disk]) => disk.vmId === vmId)
  const accepted = ({ status, body }: { status: number; body: unknown }) => {
    if (status >= 300) throw new Error(`was refused with ${status}: ${JSON.stringify(body)}`)
  }

  /** Each does something if the world allows it, and says whether it did. */
  const moves: Record<string, () => Promise<boolean>> = {
    async createVm() {
      if (vms.size >= maxVms) return false
      const free = pick(disks, (disk) => disk.vmId === null)
      const answer = await desk.createVm(`vm-${words++}`, { disks: free ? [{ disk_id: free[0] }] : [] })
      accepted(answer)
      if (free) free[1].vmId = answer.body.id
      vms.set(answer.body.id, { on: true, root: '', memory: '' })
      return true
    },
    async stop() {
      const found = pick(vms, (vm) => vm.on)
      if (!found) return false
      accepted(await desk.act('stop', found[0]))
      found[1].on = false
      return true
    },
    async start() {
      const found = pick(vms, (vm) => !vm.on)
      if (!found) return false
      accepted(await desk.act('start', found[0]))
      Object.assign(found[1], { on: true, memory: '' })
      return true
    },
    async restart() {
      const found = pick(vms, (vm) => vm.on)
      if (!found) return false
      accepted(await desk.act('restart', found[0]))
      found[1].memory = ''
      return true
    },
    async deleteVm() {
      const found = pick(vms)
      if (!found || roll(3) > 0) return false
      accepted(await desk.deleteVm(found[0]))
      for (const [, disk] of disksOf(found[0])) disk.vmId = null
      vms.delete(found[0])
      return true
    },
    async write() {
      const found = pick(vms, (vm) => vm.on)
      if (!found) return false
      const [vmId, vm] = found
      const word = `word-${words++}`
      const own = disksOf(vmId)
      const where = roll(2 + own.length)
      const disk = own[where - 2]
      await write(vmId, where === 0 ? 'root' : where === 1 ? 'memory' : { diskId: disk?.[0] ?? '' }, word)
      if (where === 0) vm.root = word
      else if (where === 1) vm.memory = word
      else if (disk) disk[1].word = word
      return true
    },
    async createDisk() {
      if (disks.size >= 5) return false
      const answer = await desk.createDisk({ name: `disk-${words++}` })
      accepted(answer)
      disks.set(answer.body.id, { vmId: null, word: '' })
      return true
    },
    async diskFromDiskSnapshot() {
      const found = pick(diskSnapshots)
      if (!found || disks.size >= 5) return false
      const answer = await desk.diskFrom(found[0], { name: `disk-${words++}`, size_gb: 1 })
      accepted(answer)
      disks.set(answer.body.id, { vmId: null, word: found[1].word })
      return true
    },
    async attach() {
      const disk = pick(disks, (one) => one.vmId === null)
      const vm = pick(vms)
      if (!disk || !vm) return false
      accepted(await desk.attach(disk[0], vm[0]))
      disk[1].vmId = vm[0]
      return true
    },
    async detach() {
      const disk = pick(disks, (one) => one.vmId !== null)
      if (!disk) return false
      accepted(await desk.detach(disk[0]))
      disk[1].vmId = null
      return true
    },
    async deleteDisk() {
      const disk = pick(disks)
      if (!disk) return false
      const answer = await desk.deleteDisk(disk[0])
      expect(answer.status).toBe(disk[1].vmId === null ? 204 : 409)
      if (disk[1].vmId === null) disks.delete(disk[0])
      return true
    },
    async snapshotVm() {
      const found = pick(vms)
      if (!found || vmSnapshots.size >= 6) return false
      const [vmId, vm] = found
      const full = roll(2) === 0
      const answer = await desk.snapshotVm(vmId, {
        name: `snap-${words++}`,
        snapshot_type: full ? 'full' : 'disk',
      })
      accepted(answer)
      vmSnapshots.set(answer.body.id, {
        vmId,
        root: vm.root,
        memory: full && vm.on ? vm.memory : null,
        disks: new Map(disksOf(vmId).map(([id, { word }]) => [id, word])),
      })
      return true
    },
    async restore() {
      const found = pick(vmSnapshots, ({ vmId }) => vms.has(vmId))
      if (!found) return false
      const [id, snapshot] = found
      const vm = vms.get(snapshot.vmId)
      if (!vm) return false
      const own = disksOf(snapshot.vmId)
      const put = own.filter(([diskId]) => snapshot.disks.has(diskId))
      const hasDisksOfThen = put.length === own.length && put.length === snapshot.disks.size
      const answer = await desk.restore(id, snapshot.vmId)
      if (snapshot.memory !== null && !hasDisksOfThen) {
        expect(answer.status).toBe(409)
        return true
      }
      accepted(answer)
      await desk.pass()
      const safety = (await desk.vmSnapshots()).find((one) => !vmSnapshots.has(one.id))
      vmSnapshots.set(safety?.id ?? '', {
        vmId: snapshot.vmId,
        root: vm.root,
        memory: null,
        disks: new Map(put.map(([diskId, { word }]) => [diskId, word])),
      })
      vm.root = snapshot.root
      vm.on ||= snapshot.memory !== null
      vm.memory = snapshot.memory ?? ''
      for (const [diskId, disk] of put) disk.word = snapshot.disks.get(diskId) ?? ''
      return true
    },
    async deleteVmSnapshot() {
      const found = pick(vmSnapshots)
      if (!found) return false
      accepted(await desk.deleteVmSnapshot(found[0]))
      vmSnapshots.delete(found[0])
      return true
    },
    async snapshotDisk() {
      const found = pick(disks)
      if (!found || diskSnapshots.size >= 6) return false
      const answer = await desk.snapshotDisk(found[0], {
        name: `copy-${words++}`,
        snapshot_type: roll(3) === 0 ? 'full' : 'incremental',
      })
      accepted(answer)
      diskSnapshots.set(answer.body.id, { diskId: found[0], word: found[1].word })
      return true
    },
    async deleteDiskSnapshot() {
      const found = pick(diskSnapshots)
      if (!found) return false
      accepted(await desk.deleteDiskSnapshot(found[0]))
      diskSnapshots.delete(found[0])
      return true
    },
    async restartServer() {
      if (roll(3) > 0) return false
      await restartServer()
      return true
    },
  }

  async function compare(): Promise<void> {
    const shown = (await desk.disks()).map(({ id, status, vm_id }) => [id, status, vm_id])
    const expected = [...disks].map(([id, { vmId }]) => [id, vmId === null ? 'available' : 'attached', vmId])
    expect(shown).toEqual(expected)
    const ready = (list: Pick<VmSnapshot, 'id' | 'status' | 'status_message'>[]) =>
      list.map(({ id, status, status_message }) => [id, status, status_message]).sort()
    const wanted = (map: Map<string, unknown>) => [...map.keys()].map((id) => [id, 'ready', null]).sort()
    expect(ready(await desk.vmSnapshots())).toEqual(wanted(vmSnapshots))
    expect(ready(await desk.diskSnapshots())).toEqual(wanted(diskSnapshots))
    for (const [vmId, model] of vms) {
      const { status, status_message, disks: own } = await desk.vm(vmId)
      expect([status, status_message]).toEqual([model.on ? 'running' : 'stopped', null])
      expect(own.map(({ disk_id }) => disk_id).sort()).toEqual(
        disksOf(vmId)
          .map(([id]) => id)
          .sort(),
      )
      if (!model.on) continue
      expect(await read(vmId, 'root')).toBe(model.root)
      expect(await read(vmId, 'memory')).toBe(model.memory)
      for (const [diskId, { word }] of disksOf(vmId)) expect(await read(vmId, { diskId })).toBe(word)
    }
  }

  const names = Object.keys(moves).flatMap((name) => Array<string>(often[name] ?? 1).fill(name))
  const story: string[] = []
  for (let i = 0; i < operations; ) {
    const name = names[roll(names.length)] ?? ''
    try {
      if (!(await moves[name]?.())) continue
      story.push(name)
      await desk.pass()
      await compare()
    } catch (error) {
      throw new Error(`Seed ${seed}, after ${[...story, name].join(', ')}`, { cause: error })
    }
    done.set(name, (done.get(name) ?? 0) + 1)
    i++
  }
  return done
}
