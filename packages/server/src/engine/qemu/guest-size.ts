/**
 * Gives living guests more processors and memory: plugs them in, and has the guest's agent make use of them. What a guest has
 * is always asked of its process, so that whatever was done before a server was killed is found again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BootImage } from '../../image/image-store.ts'
import type { Engine } from '../engine.ts'
import { UnansweredError } from './agent.ts'
import { type Agent, AgentRefusal } from './agent-line.ts'
import { hasPlaces } from './command-line.ts'
import { asEngineError } from './failure.ts'
import type { Guest } from './guest.ts'
import type { Guests } from './guests.ts'
import { countOf, isRecord } from './lines.ts'
import { type MachineDirs, requireId } from './machine-dir.ts'
import {
  type Added,
  blocksOf,
  cpuDevice,
  memoryDevice,
  memoryObject,
  pluggable,
  type Size,
  sizeTold,
} from './machine-size.ts'
import type { Qmp } from './qmp.ts'
import type { Turns } from './turns.ts'

const MIB = 1024 * 1024
const ASK_MS = 3000
/** Bringing memory into use takes a kernel some milliseconds a GB. */
const USE_MS = 20_000
/** A kernel sees what was plugged in within milliseconds; a busy one a little later. */
const COMES_MS = 10_000
const LOOK_MS = 50
const NOT_TAKEN = 'The guest did not make use of its new processors and memory'

/** What a living guest has. */
export async function sizeOf(qmp: Pick<Qmp, 'execute'>): Promise<Size & { added: Added }> {
  const told = sizeTold(
    await qmp.execute('query-cpus-fast'),
    await qmp.execute('query-memory-size-summary'),
    await qmp.execute('query-memory-devices'),
  )
  if (!told) throw new Error('The process of a guest did not tell how large the guest is')
  return told
}

/** What a kernel can be given, and has put to use: by the commands of the QEMU guest agent of the same names. */
interface Unit {
  list: string
  use: string
  /** The argument of `use`, and what one of it is known by. */
  argument: string
  id: string
}
const processors: Unit = {
  list: 'guest-get-vcpus',
  use: 'guest-set-vcpus',
  argument: 'vcpus',
  id: 'logical-id',
}
const memoryBlocks: Unit = {
  list: 'guest-get-memory-blocks',
  use: 'guest-set-memory-blocks',
  argument: 'mem-blks',
  id: 'phys-index',
}

/** Those of a guest; null where its agent cannot tell. */
async function unitsOf(agent: Agent, { list }: Unit): Promise<Record<string, unknown>[] | null> {
  const answer = await orRefused(agent.execute(list, {}, ASK_MS))
  return Array.isArray(answer) ? answer.filter(isRecord) : null
}

async function blockMbOf(agent: Agent): Promise<number | null> {
  const answer = await orRefused(agent.execute('guest-get-memory-block-info', {}, ASK_MS))
  const bytes = isRecord(answer) ? countOf(answer.size) : null
  return bytes === null || bytes < MIB ? null : bytes / MIB
}

const orRefused = (asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((error: unknown) => {
    if (error instanceof AgentRefusal) return null
    throw error
  })

/** Has a guest make use of all that it sees, once that are so many. */
async function useAll(agent: Agent, unit: Unit, expected: number, comesMs: number): Promise<void> {
  const latest = performance.now() + comesMs
  for (;;) {
    const all = (await unitsOf(agent, unit)) ?? []
    const unused = all.filter(({ online }) => online === false)
    if (unused.length === 0 && all.length >= expected) return
    if (performance.now() > latest) throw new Error(NOT_TAKEN)
    const wanted = unused.map((one) => ({ [unit.id]: one[unit.id], online: true }))
    if (wanted.length > 0) await agent.execute(unit.use, { [unit.argument]: wanted }, USE_MS)
    await sleep(LOOK_MS, undefined, { ref: false })
  }
}

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
  const { added, ...size } = await sizeOf(guest.qmp)
  await to.note(size)
  const { comesMs = COMES_MS } = to
  if (blocks && blockMb) await useAll(agent, memoryBlocks, blocksOf(size, added, blockMb), comesMs)
  if (before) await useAll(agent, processors, size.cpu, comesMs)
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
