import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { BootImage } from '../../../image/image-store.ts'
import { flush } from '../../../lib/flush.ts'
import type { HostFacts } from '../host-facts.ts'
import { fileNames, type MachineDirs } from '../machine-dir.ts'
import { completion, receiveInto } from '../memory.ts'
import { createRootDisk } from '../qcow2.ts'
import type { Qmp } from '../qmp.ts'
import { requireRoom } from '../room.ts'
import { copyRoot, memoryIsApart } from './clone.ts'
import { warmFitOf } from './fit.ts'
import { clearBeside, launchNobody } from './nobody.ts'
import { frozenFiles, type WarmStore } from './store.ts'

/** What a frozen guest is made from. */
export interface Combination {
  imageId: string
  image: BootImage
  cpu: number
  memoryMb: number
}

/** Makes frozen guests, behind everybody's VMs. */
export function makeMaker(deps: { dirs: MachineDirs; store: WarmStore; host: () => HostFacts }) {
  const { dirs, store, host } = deps
  const rootOf = (id: string) => dirs.fileOf(id, fileNames.root)

  /** Boots a guest, takes everything from it that makes it somebody, and saves it as it is then. */
  async function freeze(id: string, what: Combination, signal: AbortSignal): Promise<void> {
    await dirs.create(id)
    const backing = await dirs.images.nameFrom(dirs.pathOf(id), what.image.disk)
    await createRootDisk(rootOf(id), what.image, backing)
    const guest = await launchNobody({ id, ...what }, null, { dirs, host: host() })
    try {
      await guest.boot(signal)
      await guest.drop(signal)
      await guest.qmp.execute('stop')
      await saveDevices(guest.qmp, id, signal)
    } finally {
      await guest.end()
    }
    await clearBeside(dirs, id, frozenFiles)
  }

  async function saveDevices(qmp: Qmp, id: string, signal: AbortSignal): Promise<void> {
    await memoryIsApart(qmp, true)
    const socketName = fileNames.memorySocket
    const receiver = await receiveInto(dirs.fileOf(id, STATE), dirs.pathOf(id), socketName)
    let sent = false
    try {
      await qmp.execute('migrate', { uri: `unix:${socketName}` })
      await Promise.race([completion(qmp, signal), receiver.failed])
      sent = true
    } finally {
      await receiver.close(sent)
    }
    await receiver.received
    await flush(dirs.fileOf(id, STATE))
  }

  /** Starts a guest from it, which nobody will ever use: what does not work here is never offered. */
  async function tryOut(id: string, what: Combination, signal: AbortSignal): Promise<void> {
    const trial = randomUUID()
    const frozen = store.filesOf(id)
    await dirs.create(trial)
    try {
      await copyRoot(frozen.root, rootOf(trial))
      const guest = await launchNobody({ id: trial, ...what }, frozen, { dirs, host: host() })
      try {
        await guest.load(signal)
        await guest.renew(signal)
        if (!(await guest.keepsTime(signal))) throw new Error('The clock of the guest does not go right')
      } finally {
        await guest.end()
      }
    } finally {
      await rm(dirs.pathOf(trial), { recursive: true, force: true })
    }
  }

  return {
    /** Makes a frozen guest and puts it into the store; a crash or a failure leaves none. */
    async make(what: Combination, signal: AbortSignal): Promise<void> {
      const id = randomUUID()
      await requireRoom(store.dir, what.memoryMb * MIB + DISK_BYTES)
      try {
        await freeze(id, what, signal)
        await tryOut(id, what, signal)
        const fit = warmFitOf({ image: what.image, spec: { cpu: what.cpu, memoryMb: what.memoryMb } }, host())
        await store.takeIn(id, { imageId: what.imageId, fit }, signal)
      } finally {
        await rm(dirs.pathOf(id), { recursive: true, force: true })
      }
    },
  }
}

const STATE = 'state'
const MIB = 1024 * 1024
/** More than guests of our images write when they boot. */
const DISK_BYTES = 256 * MIB
