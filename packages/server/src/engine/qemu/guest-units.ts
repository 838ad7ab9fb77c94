/**
 * The processors and memory of a living guest: what its process has, and what the guest's kernel makes use of, as its agent
 * tells. A kernel leaves unused what was plugged into it, also memory that it finds so when it boots once more.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Agent, AgentRefusal } from './agent-line.ts'
import { countOf, isRecord } from './lines.ts'
import { type Added, blocksOf, hasAny, type Size, sizeTold } from './machine-size.ts'
import type { Qmp } from './qmp.ts'

const MIB = 1024 * 1024
const ASK_MS = 3000
/** Bringing memory into use takes a kernel some milliseconds a GB. */
const USE_MS = 20_000
/** A kernel sees what was plugged in within milliseconds; a busy one a little later. */
const COMES_MS = 10_000
const LOOK_MS = 50
export const NOT_TAKEN = 'The guest did not make use of its new processors and memory'

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
export const processors: Unit = {
  list: 'guest-get-vcpus',
  use: 'guest-set-vcpus',
  argument: 'vcpus',
  id: 'logical-id',
}
export const memoryBlocks: Unit = {
  list: 'guest-get-memory-blocks',
  use: 'guest-set-memory-blocks',
  argument: 'mem-blks',
  id: 'phys-index',
}

/** Those of a guest; null where its agent cannot tell. */
export async function unitsOf(agent: Agent, { list }: Unit): Promise<Record<string, unknown>[] | null> {
  const answer = await orRefused(agent.execute(list, {}, ASK_MS))
  return Array.isArray(answer) ? answer.filter(isRecord) : null
}

export async function blockMbOf(agent: Agent): Promise<number | null> {
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

/** Has a guest make use of all that was plugged into it; of nothing else, as its owner may have turned that off. */
export async function useAllAdded(
  qmp: Pick<Qmp, 'execute'>,
  agent: Agent,
  comesMs: number = COMES_MS,
): Promise<void> {
  const { added, ...size } = await sizeOf(qmp)
  const blockMb = added.memoryMb.length > 0 ? await blockMbOf(agent) : null
  if (blockMb !== null) await useAll(agent, memoryBlocks, blocksOf(size, added, blockMb), comesMs)
  if (added.cpus > 0) await useAll(agent, processors, size.cpu, comesMs)
}

/** Whether anything was plugged into a guest. */
export const hasMore = async (qmp: Pick<Qmp, 'execute'>): Promise<boolean> =>
  hasAny((await sizeOf(qmp)).added)
