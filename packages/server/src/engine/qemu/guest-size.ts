/**
 * Gives living guests more processors and memory: plugs them in, and has the guest's agent make use of them. What a guest has
 * is always asked of its process, so that whatever was done before a server was killed is found again.
 */
import type { BootImage } from '../../image/image-store.ts'
import type { Engine } from '../engine.ts'
import { UnansweredError } from './agent.ts'
import type { Agent } from './agent-line.ts'
import { hasPlaces } from './command-line.ts'
import { asEngineError } from './failure.ts'
import type { Guest } from './guest.ts'
import {
  blockMbOf,
  memoryBlocks,
  NOT_TAKEN,
  processors,
  sizeOf,
  unitsOf,
  useAllAdded,
} from './guest-units.ts'
import type { Guests } from './guests.ts'
import { type MachineDirs, requireId } from './machine-dir.ts'
import { type Added, cpuDevice, memoryDevice, memoryObject, pluggable, type Size } from './machine-size.ts'
import type { Turns } from './turns.ts'

async function plugIn(
  { qmp, run }: Pick<Guest, 'qmp' | 'run'>,
  has: Size & { added: Added },
  more: Added,
): Promise<void> {
  for (let index = has.cpu; index < has.cpu + more.cpus; index += 1)
    await qmp.execute('device_add', cpuDevice(run.cpuModel, index))
  for (const [index, mb] of more.memoryMb.entries()) {
    const place = has.added.memoryMb.length + index
    const { id } = memoryObject(place, mb)
    // One that was made before a server was killed, and not plugged in, may have another size.
    await qmp.execute('object-del', { id }).catch(() => {})
    await qmp.execute('object-add', memoryObject(place, mb))
    await qmp.execute('device_add', memoryDevice(place)).catch(async (error: unknown) => {
      await qmp.execute('object-del', { id }).catch(() => {})
      throw error
    })
  }
}

/**
 * Plugs in what can be, tells what the guest has then, and has it make use of that.
 *
 * @param to.note writes down what it has, before it is asked to make use of it
 */
export async function giveSize(
  guest: Pick<Guest, 'qmp' | 'run'>,
  agent: Agent,
  wished: Size,
  to: { image: Pick<BootImage, 'kernel'>; note: (has: Size) => Promise<void>; comesMs?: number },
): Promise<Size> {
  const has = await sizeOf(guest.qmp)
  const before = await unitsOf(agent, processors)
  const blockMb = await blockMbOf(agent)
  const blocks = blockMb === null ? null : await unitsOf(agent, memoryBlocks)
  const can = pluggable(has, wished, { image: to.image, blockMb: blocks && blockMb })
  const more = { ...can, cpus: before ? can.cpus : 0 }
  await plugIn(guest, has, more)
  const { added: _, ...size } = await sizeOf(guest.qmp)
  await to.note(size)
  await useAllAdded(guest.qmp, agent, to.comesMs)
  return size
}

export function makeGuestSize(deps: {
  dirs: Pick<MachineDirs, 'requireRecord' | 'writeRecord'>
  guests: Pick<Guests, 'of'>
  inTurn: Turns
  inDiskTurn: Turns
}): Pick<Engine, 'growMachine'> {
  const { dirs, guests, inTurn, inDiskTurn } = deps

  /** The record says what the machine has, so that its memory counts as given. */
  const note = (machineId: string, guest: Guest, { cpu, memoryMb }: Size) =>
    inTurn(machineId, async () => {
      await guest.countProcessors()
      const record = await dirs.requireRecord(machineId)
      if (record.spec.cpu === cpu && record.spec.memoryMb === memoryMb) return
      await dirs.writeRecord(machineId, { ...record, spec: { ...record.spec, cpu, memoryMb } })
    })

  return {
    async growMachine(machineId, wished) {
      requireId(machineId)
      try {
        // A memory that is being saved must not become larger meanwhile.
        return await inDiskTurn(machineId, async () => {
          const { spec, image } = await dirs.requireRecord(machineId)
          const { cpu, memoryMb } = spec
          const guest = await inTurn(machineId, () => guests.of(machineId))
          if (!guest || !hasPlaces(guest.run.shape)) return { cpu, memoryMb }
          try {
            return await guest.agent.talk((agent) =>
              giveSize(guest, agent, wished, { image, note: (has) => note(machineId, guest, has) }),
            )
          } catch (error) {
            if (!(error instanceof UnansweredError) || (await guest.agent.isThere())) throw error
            return { cpu, memoryMb }
          }
        })
      } catch (error) {
        throw asEngineError(error, NOT_TAKEN)
      }
    },
  }
}
