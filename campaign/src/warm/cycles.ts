/**
 * `npm run campaign -- cycles N`: writes into a VM that is under load, suspends and wakes it, or restores it from a full
 * snapshot, and compares: nothing acknowledged is lost, the clock that nobody sets does not jump, and a connection that
 * another VM of the project has to it goes on after a suspension.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Vm, type VmSnapshot, vmApi, vmSnapshotApi } from '@slipway/contract'
import { type Ground, openGround } from './ground.ts'
import { answerIn, openTcpSession } from './tcp-session.ts'

/** Writes to disk and memory for ever, so that saving has something to catch up with. */
const LOAD =
  '(while :; do dd if=/dev/urandom of=/root/load bs=64k count=16 conv=fsync; cp /root/load /dev/shm/load; sleep 0.2; done) >/dev/null 2>&1 </dev/null &'
const ASLEEP_MS = 2000
/** What a look at the clock of a busy guest may take, and what it may be set late by. */
const SLACK_S = 3

interface Reading {
  /** Seconds that the guest has run, and those of the host at the same time, at the earliest and at the latest. */
  up: number
  from: number
  to: number
}

/** What is wrong with two readings of a clock that does not run for `pausedS` in between; null when nothing is. */
export function jump(before: Reading, after: Reading, pausedS: number): string | null {
  const went = after.up - before.up
  const most = after.to - before.from - pausedS + SLACK_S
  if (went < 0) return `The clock of the guest went back by ${(-went).toFixed(1)} s`
  return went > most ? `The clock of the guest went ${went.toFixed(1)} s in ${most.toFixed(1)} s` : null
}

async function readUp(ground: Ground, vm: Vm): Promise<Reading> {
  const from = performance.now() / 1000
  const up = Number((await ground.ssh(vm, 'cut -d " " -f 1 /proc/uptime')).trim())
  return { up, from, to: performance.now() / 1000 }
}

const write = (ground: Ground, vm: Vm, text: string) =>
  ground.ssh(
    vm,
    `echo ${text} | dd of=/root/token conv=fsync 2>/dev/null && echo ${text} > /dev/shm/token && echo ${text}`,
  )

/** How far a time is from where a look at it began and ended, in seconds: a busy guest answers late. */
export const offBy = (time: number, { from, to }: { from: number; to: number }): number =>
  time < from ? time - from : Math.max(0, time - to)

async function compare(ground: Ground, vm: Vm, text: string, boot: string): Promise<string[]> {
  const from = Date.now() / 1000
  const seen = (
    await ground.ssh(vm, `cat /root/token /dev/shm/token /proc/sys/kernel/random/boot_id; date +%s`)
  ).split('\n')
  const off = offBy(Number(seen[3]), { from, to: Date.now() / 1000 })
  return [
    ...(seen[0] === text ? [] : [`On its disk is ${seen[0]} in place of ${text}`]),
    ...(seen[1] === text ? [] : [`In its memory is ${seen[1]} in place of ${text}`]),
    ...(seen[2] === boot ? [] : ['It has booted']),
    ...(Math.abs(off) < SLACK_S ? [] : [`Its time is off by ${off.toFixed(1)} s`]),
  ]
}

async function suspendAndWake(ground: Ground, vm: Vm): Promise<{ vm: Vm; pausedS: number }> {
  await ground.call(vmApi.suspend, ground.at(vm.id))
  await ground.untilVm(vm.id, 'suspended')
  const asleep = performance.now()
  await sleep(ASLEEP_MS)
  const pausedS = (performance.now() - asleep) / 1000
  await ground.call(vmApi.start, ground.at(vm.id))
  return { vm: await ground.untilVm(vm.id, 'running'), pausedS }
}

async function snapshotAndRestore(ground: Ground, vm: Vm): Promise<Vm> {
  const { projectId } = ground
  const body = { name: `cycle-${randomUUID().slice(0, 8)}`, snapshot_type: 'full', retention_days: 1 }
  const { id } = await ground.call<VmSnapshot>(vmSnapshotApi.create, { ...ground.at(vm.id), body })
  const snapshots = () => ground.call<VmSnapshot[]>(vmSnapshotApi.list, { params: { projectId } })
  await ground.until(async () => {
    const found = (await snapshots()).find((one) => one.id === id)
    if (found?.status === 'failed') throw new Error(`${found.status_message}`)
    return found?.status === 'ready' ? found : null
  }, 'snapshot')
  await write(ground, vm, 'written-after-the-snapshot')
  const params = { projectId, snapshotId: id }
  await ground.call(vmSnapshotApi.restore, { params, body: { vm_id: vm.id } })
  const restored = await ground.untilVm(vm.id, 'running')
  for (const one of await snapshots())
    await ground.call(vmSnapshotApi.delete, { params: { projectId, snapshotId: one.id } })
  return restored
}

export async function cycles(
  count: number,
  log: (line: string) => void,
  stop: AbortSignal,
): Promise<boolean> {
  const ground = await openGround(stop)
  let wrong = 0
  try {
    let vm = await ground.untilVm((await ground.create('cycled')).id, 'running')
    const peer = await ground.untilVm((await ground.create('peer')).id, 'running')
    await ground.ssh(vm, LOAD)
    await answerIn(ground, vm)
    let session = await openTcpSession(ground, peer, vm)
    const boot = await ground.ssh(vm, 'cat /proc/sys/kernel/random/boot_id')
    for (let cycle = 1; cycle <= count; cycle += 1) {
      const text = randomUUID()
      if ((await write(ground, vm, text)) !== text) throw new Error('A write was not acknowledged')
      const cut = await session.goesOn()
      if (cut !== null) throw new Error(`There was no connection to begin with. ${cut}`)
      const before = await readUp(ground, vm)
      const isRestore = cycle % 2 === 0
      let pausedS = 0
      if (isRestore) vm = await snapshotAndRestore(ground, vm)
      else ({ vm, pausedS } = await suspendAndWake(ground, vm))
      const found = await compare(ground, vm, text, boot)
      const jumped = jump(before, await readUp(ground, vm), pausedS)
      // A guest that was put back knows less of its connections than those at their other ends: they begin anew.
      if (isRestore) session = await openTcpSession(ground, peer, vm)
      const ended = await session.goesOn()
      for (const what of [...found, jumped, ended].filter((one) => one !== null)) {
        wrong += 1
        log(`WRONG in cycle ${cycle} (${isRestore ? 'restore' : 'suspend'}): ${what}`)
      }
      if (cycle % 10 === 0 || cycle === count) log(`${cycle} cycles, ${wrong} wrong`)
    }
  } finally {
    await ground.close()
  }
  return wrong === 0
}
