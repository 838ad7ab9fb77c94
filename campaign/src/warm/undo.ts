/**
 * `npm run campaign -- undo N`: deletes a project with that many VMs, and restores it from the bin. All are there again under
 * their ids; those that ran go on from their memory, and those that were stopped are stopped.
 */
import { projectApi, projectBinApi, type Vm, vmApi } from '@slipway/contract'
import { guestsOf } from '@slipway/e2e/real'
import { type Ground, openGround } from './ground.ts'

/** Counts in memory only: after a boot it would begin anew. */
const COUNT =
  "setsid sh -c 'i=0; while :; do i=$((i+1)); echo $i > /run/new; mv /run/new /run/count; sleep 1; done' >/dev/null 2>&1 </dev/null &"
/** Every third VM is stopped. */
const STOPPED_EACH = 3

interface Reading {
  boot: string
  count: number
}

/** What is wrong with a guest that was to go on counting; null when nothing is. */
export function lostCount(before: Reading, after: Reading): string | null {
  if (after.boot !== before.boot) return 'has booted'
  if (!(after.count >= before.count)) return `counts at ${after.count} and did at ${before.count}`
  return null
}

async function read(ground: Ground, vm: Vm): Promise<Reading> {
  const [boot = '', count = ''] = (
    await ground.ssh(vm, 'cat /proc/sys/kernel/random/boot_id /run/count')
  ).split('\n')
  return { boot, count: Number.parseInt(count, 10) }
}

const secondsSince = (began: number) => ((performance.now() - began) / 1000).toFixed(1)

async function makeVms(ground: Ground, count: number): Promise<Map<string, Reading | null>> {
  const made = await Promise.all(Array.from({ length: count }, (_, i) => ground.create(`kept-${i}`)))
  const readings = new Map<string, Reading | null>()
  for (const [i, { id }] of made.entries()) {
    const vm = await ground.untilVm(id, 'running')
    if (i % STOPPED_EACH === STOPPED_EACH - 1) {
      await ground.call(vmApi.stop, { ...ground.at(id), body: { force: false } })
      await ground.untilVm(id, 'stopped')
      readings.set(id, null)
    } else {
      await ground.ssh(vm, COUNT)
      readings.set(id, { boot: '', count: 0 })
    }
  }
  for (const [id, reading] of readings) if (reading) readings.set(id, await read(ground, await ground.vm(id)))
  return readings
}

/** What is wrong with a VM that came back. */
async function check(ground: Ground, id: string, before: Reading | null): Promise<string | null> {
  if (before === null) {
    const { status } = await ground.vm(id)
    return status === 'stopped' ? null : `was stopped and is ${status}`
  }
  const vm = await ground.untilVm(id, 'running')
  const after = await read(ground, vm)
  const lost = lostCount(before, after)
  if (lost !== null) return lost
  const goesOn = async () => ((await read(ground, vm)).count > after.count ? true : null)
  return ground.until(goesOn, `count beyond ${after.count}`).then(
    () => null,
    (error: Error) => error.message,
  )
}

export async function undo(count: number, log: (line: string) => void, stop: AbortSignal): Promise<boolean> {
  const ground = await openGround(stop)
  const { projectId } = ground
  let wrong = 0
  try {
    await ground.untilVm((await ground.create('first')).id, 'running')
    await ground.frozen()
    const before = await makeVms(ground, count)
    const deleted = performance.now()
    await ground.call(projectApi.delete, { params: { projectId }, query: { with_vms: 'true' } })
    // Guests that are kept ready for new VMs run on.
    const runs = async () => (await guestsOf(ground.dataDir)).some(({ machineId }) => before.has(machineId))
    await ground.until(async () => ((await runs()) ? null : true), 'end of all guests')
    log(
      `${count} VMs deleted with their project; none of their guests ran any more after ${secondsSince(deleted)} s`,
    )
    const restored = performance.now()
    await ground.call(projectBinApi.restore, { params: { itemId: projectId } })
    const back = await ground.call<Vm[]>(vmApi.list, { params: { projectId } })
    const missing = [...before.keys()].filter((id) => !back.some((vm) => vm.id === id))
    for (const id of before.keys()) if (before.get(id)) await ground.untilVm(id, 'running')
    log(`all that ran run again after ${secondsSince(restored)} s`)
    for (const id of missing) log(`WRONG: ${id} did not come back`)
    wrong += missing.length
    for (const [id, reading] of before) {
      const what = await check(ground, id, reading)
      if (what === null) continue
      wrong += 1
      log(`WRONG: ${(await ground.vm(id)).name} ${what}`)
    }
  } finally {
    await ground.close()
  }
  log(`${count} VMs, ${wrong} wrong`)
  return wrong === 0
}
