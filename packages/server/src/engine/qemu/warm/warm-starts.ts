import { inBackground } from '../../../lib/in-background.ts'
import type { Log } from '../../../lib/log.ts'
import { exists } from '../durable.ts'
import type { HostFacts } from '../host-facts.ts'
import { OVERHEAD_MB } from '../launch.ts'
import type { MachineDirs } from '../machine-dir.ts'
import type { MachineRecord } from '../records.ts'
import { copyRoot } from './clone.ts'
import { isOfHost, keyOf, warmFitOf, whyCold } from './fit.ts'
import { type Combination, makeMaker } from './maker.ts'
import type { Frozen, WarmStore } from './store.ts'

/** What all frozen guests may take of the host's disk. */
const BUDGET_BYTES = 8 * 1024 ** 3
/** A busy host may be the reason; an image that lacks what it takes fails each time. */
const TRIES = 3
/** What must be left of the host's memory for people's VMs while one is made. */
const LEFT_MB = 1024

/** First starts of VMs that go on from a frozen guest in place of booting, and the guests that are frozen for that. */
export function makeWarmStarts(deps: {
  store: WarmStore
  /** Where guests are that belong to nobody. */
  dirs: MachineDirs
  /** Whether there are any; else every VM boots. */
  isOn: boolean
  host: () => HostFacts
  /** There is one more that VMs can start from. */
  onFrozen: () => void
  log: Log
}) {
  const { store, dirs, isOn, host, onFrozen, log } = deps
  const maker = makeMaker({ dirs, store, host })
  /** Combinations whose guest could not be frozen, and how often: not tried for ever. */
  const failures = new Map<string, number>()
  const waiting = new Map<string, Combination>()
  const ending = new AbortController()
  let making: Promise<void> | null = null

  const keyFor = (record: Pick<MachineRecord, 'spec' | 'image'>) => keyOf(warmFitOf(record, host()))

  /** One after the other. */
  async function makeAll(): Promise<void> {
    for (const [key, what] of waiting) {
      waiting.delete(key)
      if (ending.signal.aborted || (await store.has(key))) continue
      if (process.availableMemory() / 1024 ** 2 < what.memoryMb + OVERHEAD_MB + LEFT_MB) continue
      const { imageId, cpu, memoryMb } = what
      try {
        await maker.make(what, ending.signal)
        await store.makeRoom(BUDGET_BYTES)
        onFrozen()
        log.info({ image: imageId, cpu, memoryMb }, 'A guest was frozen; VMs like it start from it')
      } catch (err) {
        if (ending.signal.aborted) return
        failures.set(key, (failures.get(key) ?? 0) + 1)
        log.warn({ err, image: imageId, cpu, memoryMb }, 'No guest could be frozen; VMs like it boot')
      }
    }
  }

  return {
    /** Clears what a killed process left; reads back what is there without keeping anybody waiting. */
    async open(): Promise<void> {
      await store.sweep()
      const isOfUse = async ({ fit }: { fit: Parameters<typeof isOfHost>[0] }) =>
        isOn && isOfHost(fit, host())
      inBackground(log, 'reading frozen guests back', store.readBack(isOfUse).then(onFrozen))
    },

    async close(): Promise<void> {
      ending.abort()
      await making
    },

    /** The frozen guest that a machine can start from; null where it has to boot. */
    async find(record: MachineRecord): Promise<Frozen | null> {
      if (!isOn || whyCold(record) !== null) return null
      const frozen = await store.find(keyFor(record)).catch((err: unknown) => {
        log.warn({ err }, 'A frozen guest could not be read')
        return null
      })
      return frozen !== null && (await exists(record.image.disk)) ? frozen : null
    },

    copyRoot,

    /** A machine has booted that could have started from a frozen guest: the next one shall. */
    wasMissed(record: MachineRecord): void {
      if (!isOn || ending.signal.aborted || whyCold(record) !== null) return
      const key = keyFor(record)
      if ((failures.get(key) ?? 0) >= TRIES) return
      const { spec, image } = record
      waiting.set(key, { imageId: spec.imageId, image, cpu: spec.cpu, memoryMb: spec.memoryMb })
      making ??= makeAll().finally(() => {
        making = null
      })
      inBackground(log, 'freezing a guest', making)
    },
  }
}

export type WarmStarts = ReturnType<typeof makeWarmStarts>
