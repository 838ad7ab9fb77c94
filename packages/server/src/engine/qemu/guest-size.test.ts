import { describe, expect, test } from 'vitest'
import { type Agent, AgentRefusal } from './agent-line.ts'
import { giveSize } from './guest-size.ts'

const MIB = 1024 * 1024
const BLOCK_MB = 128

interface Faults {
  /** What its agent has not. */
  lacks?: string[]
  /** What its kernel never brings into use. */
  ignores?: 'cpus' | 'memory'
  /** What its process refuses. */
  refuses?: string
  /** Its kernel uses memory by itself. */
  eager?: boolean
}

/** A guest with one processor and 256 MB: its process, and the agent in it. */
function guestOf({ lacks = [], ignores, refuses, eager = false }: Faults = {}) {
  const cpus = [true]
  const blocks = [true, true]
  const objects = new Map<unknown, number>()
  const pieces: { slot: number; size: number }[] = []
  const asked: string[] = []

  async function execute(command: string, args: Record<string, unknown> = {}): Promise<unknown> {
    asked.push(command)
    const path = (index: number) =>
      `/machine/${index === 0 ? 'unattached/device[0]' : `peripheral/cpu${index}`}`
    if (command === 'query-cpus-fast') return cpus.map((_, index) => ({ 'qom-path': path(index) }))
    if (command === 'query-memory-size-summary')
      return {
        'base-memory': 256 * MIB,
        'plugged-memory': pieces.reduce((total, { size }) => total + size, 0),
      }
    if (command === 'query-memory-devices') return pieces.map((data) => ({ type: 'dimm', data }))
    if (command === refuses) throw new Error('refused')
    if (command === 'object-add') objects.set(args.id, Number(args.size))
    if (command === 'object-del' && !objects.delete(args.id)) throw new Error('there is none')
    if (command === 'device_add' && args.driver === 'pc-dimm') {
      const size = objects.get(args.memdev) ?? 0
      pieces.push({ slot: Number(args.slot), size })
      if (ignores !== 'memory') blocks.push(...Array.from({ length: size / MIB / BLOCK_MB }, () => eager))
    } else if (command === 'device_add') cpus.push(false)
    return {}
  }
  const agent: Agent = {
    async execute(command, args) {
      asked.push(command)
      if (lacks.includes(command)) throw new AgentRefusal('The guest agent refused')
      const list = (all: boolean[], id: string) => all.map((online, index) => ({ [id]: index, online }))
      if (command === 'guest-get-vcpus') return list(cpus, 'logical-id')
      if (command === 'guest-get-memory-blocks') return list(blocks, 'phys-index')
      if (command === 'guest-get-memory-block-info') return { size: BLOCK_MB * MIB }
      const all = command === 'guest-set-vcpus' ? cpus : blocks
      // Who uses it is typed, and this plays the other side.
      const units = Object.values(args)[0] as Record<string, number>[]
      if (!(command === 'guest-set-vcpus' && ignores === 'cpus'))
        for (const unit of units) all[unit['logical-id'] ?? unit['phys-index'] ?? 0] = true
      return {}
    },
    close: () => {},
  }
  const notes: unknown[] = []
  const give = (cpu: number, memoryMb: number, kernel: string | undefined = '/kernel') =>
    giveSize(
      { qmp: { execute } as never, run: { cpuModel: 'Nehalem,cx16=off' } as never },
      agent,
      { cpu, memoryMb },
      { image: kernel === '' ? {} : { kernel }, note: async (has) => void notes.push(has), comesMs: 200 },
    )
  return { give, cpus, blocks, objects, pieces, notes, asked }
}

describe('a living guest', () => {
  test('makes use of what it is given, and its record knows before that', async () => {
    const { give, cpus, blocks, notes } = guestOf()
    expect(await give(3, 512)).toEqual({ cpu: 3, memoryMb: 512 })
    expect([cpus, blocks]).toEqual([
      [true, true, true],
      [true, true, true, true],
    ])
    expect(notes).toEqual([{ cpu: 3, memoryMb: 512 }])
  })

  test('can be given more and more, and nothing twice', async () => {
    const { give, pieces } = guestOf()
    await give(2, 384)
    await give(2, 384)
    expect(await give(2, 1024)).toEqual({ cpu: 2, memoryMb: 1024 })
    expect(pieces.map(({ slot, size }) => [slot, size / MIB])).toEqual([
      [0, 128],
      [1, 640],
    ])
  })

  test('that uses memory by itself is not asked to', async () => {
    const { give, asked } = guestOf({ eager: true })
    await give(1, 512)
    expect(asked).not.toContain('guest-set-memory-blocks')
  })

  test('has nothing plugged in that its agent knows nothing of', async () => {
    const withoutCpus = guestOf({ lacks: ['guest-get-vcpus'] })
    expect(await withoutCpus.give(2, 512)).toEqual({ cpu: 1, memoryMb: 512 })
    for (const command of ['guest-get-memory-block-info', 'guest-get-memory-blocks'])
      expect(await guestOf({ lacks: [command] }).give(2, 512)).toEqual({ cpu: 2, memoryMb: 256 })
  })

  test('of a foreign image has no places for memory while it is small', async () => {
    expect(await guestOf().give(2, 512, '')).toEqual({ cpu: 2, memoryMb: 256 })
  })

  test.each(['cpus', 'memory'] as const)(
    'that does not make use of %s fails the call, has them all the same, and is asked again by the next one',
    async (ignores) => {
      const guest = guestOf({ ignores })
      await expect(guest.give(2, 512)).rejects.toThrow('did not make use')
      expect(guest.notes).toEqual([{ cpu: 2, memoryMb: 512 }])
      expect([guest.cpus.length, guest.pieces.length]).toEqual([2, 1])
      await expect(guest.give(2, 512)).rejects.toThrow('did not make use')
      expect([guest.cpus.length, guest.pieces.length]).toEqual([2, 1])
    },
  )

  test('whose agent must not bring anything into use fails the call', async () => {
    await expect(guestOf({ lacks: ['guest-set-vcpus'] }).give(2, 256)).rejects.toThrow('refused')
  })

  test('is left nothing of a piece of memory that could not be plugged in', async () => {
    const { give, objects, pieces } = guestOf({ refuses: 'device_add' })
    await expect(give(1, 512)).rejects.toThrow('refused')
    expect([objects.size, pieces.length]).toEqual([0, 0])
  })
})
