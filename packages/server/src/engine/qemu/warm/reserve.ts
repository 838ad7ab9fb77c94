import { rename, rm, truncate } from 'node:fs/promises'
import { totalmem } from 'node:os'
import type { BootImage, ImageStore } from '../../../image/image-store.ts'
import { flush } from '../../../lib/flush.ts'
import { inBackground } from '../../../lib/in-background.ts'
import type { Log } from '../../../lib/log.ts'
import type { HostFacts } from '../host-facts.ts'
import { OVERHEAD_MB } from '../launch.ts'
import { fileNames, type MachineDirs } from '../machine-dir.ts'
import type { Plug } from '../network/plug.ts'
import { endAllOf, isRunOf } from '../process.ts'
import { keyOf, warmFitOf } from './fit.ts'
import { leftBeside, wantedReserve } from './reserve-size.ts'
import { makeReservedGuest, type ReservedGuest } from './reserved-guest.ts'
import type { WarmStore } from './store.ts'

/** What somebody wants a machine to be like. */
export interface Like {
  imageId: string
  cpu: number
  memoryMb: number
}

type Kept = ReservedGuest & Like & { key: string }

/** After a start, so that the reserve is never made in the way of people's VMs. */
const QUIET_MS = 3_000
/** Other programs take memory, and what was used is not used any more: looked at so often. */
const LOOK_MS = 60_000
/** One that could not be made is tried again then. */
const PAUSE_MS = 10 * 60_000
/** Who takes one makes its machine at once and starts it, or never does. */
const TAKEN_MS = 60_000

/**
 * Guests of the kinds that people use, kept ready and standing still. Each has the id of the machine that it will be from the
 * beginning, so that its process, directory, user, firmware and MAC are right: `take` gives the id to who makes a VM,
 * `moveIn` puts its directory in the place of the machine's, and from there it begins as the machine's first run. Whatever
 * comes in between, a machine with such an id starts like every other.
 */
export function makeReserve(deps: {
  /** Where they are until they are moved in. */
  dirs: MachineDirs
  /** Where machines are. */
  machines: MachineDirs
  store: WarmStore
  images: Pick<ImageStore, 'use'>
  networks: { spare: (machineId: string) => Promise<Plug>; dropSpare: (machineId: string) => void }
  entry: () => readonly string[]
  host: () => HostFacts
  /** How many there may be; none: there is no reserve. */
  most: number
  /** What is to be left of the host's memory beside them, in MiB; null for what `leftBeside` says. */
  leaveMb: number | null
  /** A machine whose guest was moved in has not begun in time. */
  onLate: (machineId: string) => Promise<void>
  log: Log
}) {
  const { dirs, machines, store, images, networks, host, most, leaveMb, onLate, log } = deps
  /** Those that nobody has taken. */
  const ready = new Map<string, Kept>()
  /** Those whose id was given to somebody. */
  const taken = new Map<string, Kept>()
  /** Those in the place of their machine, which have not begun. */
  const moved = new Map<string, Kept>()
  const ending = new AbortController()
  let filling: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let pausedUntil = 0

  const isOn = () => most > 0 && !ending.signal.aborted && host().network.apart === null

  async function end(guest: Kept, at: MachineDirs): Promise<void> {
    await guest.end()
    await rm(at.pathOf(guest.id), { recursive: true, force: true })
    networks.dropSpare(guest.id)
  }

  async function drop(from: Map<string, Kept>, id: string): Promise<void> {
    const guest = from.get(id)
    if (!guest || !from.delete(id)) return
    await end(guest, dirs)
  }

  const dropLater = (from: Map<string, Kept>, id: string) =>
    inBackground(log, 'ending a guest of the reserve', drop(from, id))

  async function fill(): Promise<void> {
    const kinds = await store.list()
    const heldMb = heldMbNow()
    const wanted = wantedReserve(
      kinds.map(({ key, fit, usedAt }) => ({ key, memoryMb: fit.memoryMb, usedAt })),
      {
        most,
        freeMb: process.availableMemory() / MIB + heldMb,
        leaveMb: leaveMb ?? leftBeside(totalmem() / MIB),
        overheadMb: OVERHEAD_MB,
        nowMs: Date.now(),
      },
    )
    const missing = [...wanted]
    for (const [id, { key }] of ready) {
      const index = missing.indexOf(key)
      if (index < 0) await drop(ready, id)
      else missing.splice(index, 1)
    }
    for (const key of missing) {
      const kind = kinds.find((one) => one.key === key)
      // Somebody starts a VM meanwhile: this waits for the next quiet moment.
      if (!kind || !isOn() || timer) return
      await make(kind)
    }
  }

  async function make({ key, imageId, fit }: Awaited<ReturnType<WarmStore['list']>>[number]): Promise<void> {
    const { cpu, memoryMb } = fit
    const image = await images.use(imageId)
    const frozen = await store.find(key, false)
    if (!frozen || keyOf(warmFitOf({ image, spec: { cpu, memoryMb } }, host())) !== key) return
    const what = { imageId, image, cpu, memoryMb }
    let tapOf: string | null = null
    const plugFor = (machineId: string) => {
      tapOf = machineId
      return networks.spare(machineId)
    }
    try {
      const guest = await makeReservedGuest(
        what,
        frozen,
        { dirs, host: host(), plugFor, entry: deps.entry },
        ending.signal,
      )
      const kept = { ...guest, imageId, cpu, memoryMb, key }
      if (ending.signal.aborted) return await end(kept, dirs)
      ready.set(guest.id, kept)
      guest.qmp.onClose(() => dropLater(ready, guest.id))
      log.info({ image: imageId, cpu, memoryMb, ownMb: guest.heldMb }, 'A guest is kept ready')
    } catch (error) {
      if (tapOf !== null) networks.dropSpare(tapOf)
      throw error
    }
  }

  const heldMbNow = () => [...ready.values()].reduce((sum, { heldMb }) => sum + heldMb, 0)

  /** Fills it once nobody has asked for that for so long, and when it was filled last. */
  function refill(afterMs = QUIET_MS): void {
    if (most === 0 || ending.signal.aborted) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      timer = undefined
      if (!isOn() || Date.now() < pausedUntil) return refill(LOOK_MS)
      inBackground(log, 'filling the reserve', fillInTurn())
    }, afterMs)
    timer.unref()
  }

  async function fillInTurn(): Promise<void> {
    await filling
    const mine = fill()
      .catch((err: unknown) => {
        if (ending.signal.aborted) return
        pausedUntil = Date.now() + PAUSE_MS
        log.warn({ err }, 'No guest could be kept ready; VMs start without')
      })
      .finally(() => {
        if (!timer) refill(LOOK_MS)
      })
    filling = mine
    await mine
  }

  /** Whether there is one in the place of this machine, of this process or of an earlier one. */
  const isMovedIn = (machineId: string) => machines.has(machineId, fileNames.reserved)

  return {
    /** To be called when a VM was started, or there is another frozen guest. */
    refill: () => refill(),

    /** The id of a guest of this kind, which is the caller's from now on; null where there is none. */
    take({ imageId, cpu, memoryMb }: Like): string | null {
      for (const [id, kept] of ready) {
        if (kept.imageId !== imageId || kept.cpu !== cpu || kept.memoryMb !== memoryMb) continue
        ready.delete(id)
        taken.set(id, kept)
        setTimeout(() => dropLater(taken, id), TAKEN_MS).unref()
        refill()
        return id
      }
      return null
    },

    /** Puts the guest that was taken in the place of its machine, with its root disk; false when there is none that fits. */
    async moveIn(machineId: string, spec: Like, image: BootImage): Promise<boolean> {
      const guest = taken.get(machineId)
      if (!guest) return false
      taken.delete(machineId)
      const isAlive = await isRunOf(guest.pid, machineId, guest.run.run)
      if (!isAlive || keyOf(warmFitOf({ image, spec }, host())) !== guest.key) {
        await end(guest, dirs)
        return false
      }
      // What it said so far is nobody's.
      await truncate(dirs.fileOf(machineId, fileNames.serialLog))
      await rename(dirs.pathOf(machineId), machines.pathOf(machineId))
      moved.set(machineId, guest)
      await flush(dirs.pathOf('.'))
      await flush(machines.pathOf('.'))
      setTimeout(() => {
        if (moved.has(machineId)) inBackground(log, 'ending a guest of the reserve', onLate(machineId))
      }, TAKEN_MS).unref()
      return true
    },

    isMovedIn,

    /** The guest in the place of a machine, which can begin; the caller begins it, or ends it. */
    movedIn: (machineId: string): ReservedGuest | null => moved.get(machineId) ?? null,

    /** Whether that guest is what the machine is to be now. */
    fits: (machineId: string, { cpu, memoryMb }: Pick<Like, 'cpu' | 'memoryMb'>, image: BootImage): boolean =>
      moved.get(machineId)?.key === keyOf(warmFitOf({ image, spec: { cpu, memoryMb } }, host())),

    /** It begins: it is a guest like every other from now on. */
    async hasBegun(machineId: string): Promise<void> {
      moved.delete(machineId)
      await rm(machines.fileOf(machineId, fileNames.reserved), { force: true })
    },

    /**
     * Ends the guest in the place of a machine that has not begun, also one of an earlier process. Its root disk and the mark
     * stay: the caller makes another one and calls `hasBegun`, or removes the machine.
     */
    async endMovedIn(machineId: string): Promise<void> {
      const guest = moved.get(machineId)
      moved.delete(machineId)
      guest?.qmp.close()
      await endAllOf(machineId, machines.pathOf(machineId))
      networks.dropSpare(machineId)
    },

    /** Gives all the memory back that nobody has taken. */
    async giveBack(): Promise<void> {
      await Promise.all([...ready.keys()].map((id) => drop(ready, id)))
      refill(LOOK_MS)
    },

    held: () => ({ guests: ready.size, memoryMb: Math.floor(heldMbNow()) }),

    async close(): Promise<void> {
      ending.abort()
      clearTimeout(timer)
      await filling
      for (const some of [ready, taken]) await Promise.all([...some.keys()].map((id) => drop(some, id)))
    },
  }
}

export type Reserve = ReturnType<typeof makeReserve>

const MIB = 1024 * 1024
