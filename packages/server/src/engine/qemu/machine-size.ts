/**
 * How large a machine is, and how much larger it can become while its guest runs: by processors and memory that are plugged into
 * it, for which its process keeps places from the beginning. Pure.
 */
import { vmCpuRange, vmMemoryRangeMb } from '@slipway/contract'
import type { BootImage } from '../../image/image-store.ts'

/** What was plugged into a guest since it booted. The order of the pieces of memory is that of their places. */
export interface Added {
  cpus: number
  memoryMb: number[]
}

export const hasAny = ({ cpus, memoryMb }: Added): boolean => cpus > 0 || memoryMb.length > 0

export interface Size {
  cpu: number
  memoryMb: number
}

/** A guest with a place for each of this many can be given twice what it has, and small ones more. Each place takes 256 KB of its memory. */
const fewestCpus = 8
/** So many pieces of memory can be plugged into a guest. */
const memoryPlaces = 8
/** Also on a host whose processor knows 36 bits of an address, such a guest finds its place. */
const smallestRoomMb = 8192
/** From here on some of a guest's memory is above the first 4 GB anyway. QEMU, `hw/i386/pc_q35.c`. */
const reachesAboveMb = 2816
/** Memory is plugged in pieces of so much: a kernel takes it in blocks of this size or a multiple. Linux, "Memory Hot(Un)Plug". */
export const pieceMb = 128

/** What a guest was booted with. */
export const baseOf = ({ cpu, memoryMb }: Size, added: Added | undefined): Size => ({
  cpu: cpu - (added?.cpus ?? 0),
  memoryMb: memoryMb - sum(added?.memoryMb ?? []),
})

/** So many processors a guest can have that booted with `cpu`. */
export const mostCpus = (cpu: number): number =>
  Math.max(cpu, Math.min(vmCpuRange.max, Math.max(fewestCpus, 2 * cpu)))

/**
 * So much memory a guest can have that booted with `memoryMb`. A kernel that could get memory above 4 GB sets aside 64 MB for
 * devices that cannot reach it; ours is told that they all can, and one of a foreign image is not made to do so.
 */
const mostMemoryMb = ({ kernel }: Pick<BootImage, 'kernel'>, memoryMb: number): number =>
  kernel === undefined && memoryMb < reachesAboveMb
    ? memoryMb
    : Math.max(memoryMb, Math.min(vmMemoryRangeMb.max, Math.max(smallestRoomMb, 4 * memoryMb)))

/** Linux, "kernel-parameters": room for copies for devices that do not reach all memory, in pieces of 2 KB. There are no such devices. */
export const bounceBuffers = 'swiotlb=1024'

/** The size that a guest boots with, and its places for more. QEMU manual, "Invocation". */
export function sizeArguments({ cpu, memoryMb }: Size, image: Pick<BootImage, 'kernel'>): string[] {
  const cores = mostCpus(cpu)
  const most = mostMemoryMb(image, memoryMb)
  const places = most > memoryMb ? `,slots=${memoryPlaces},maxmem=${most}M` : ''
  return [
    ...['-m', `size=${memoryMb}M${places}`],
    ...['-smp', `cpus=${cpu},maxcpus=${cores},sockets=1,cores=${cores},threads=1`],
  ]
}

/** The devices by which a guest that goes on has what was plugged into it before. */
export function addedArguments(base: Size, added: Added | undefined, cpuModel: string): string[] {
  if (!added) return []
  const cpus = Array.from({ length: added.cpus }, (_, index) => cpuDevice(cpuModel, base.cpu + index))
  const memory = added.memoryMb.flatMap((mb, index) => [
    ...['-object', deviceText('qom-type', memoryObject(index, mb))],
    ...['-device', deviceText('driver', memoryDevice(index))],
  ])
  return [...cpus.flatMap((one) => ['-device', deviceText('driver', one)]), ...memory]
}

type Options = Record<string, string | number>

function deviceText(kind: string, { [kind]: what, ...options }: Options): string {
  return [what, ...Object.entries(options).map(([name, value]) => `${name}=${value}`)].join(',')
}

/** Names of what was plugged in begin so. */
const CPU = 'cpu'
const MEMORY = 'dimm'

/** @param model value of QEMU's `-cpu`, with its options */
export const cpuDevice = (model: string, index: number): Options => ({
  driver: `${model.split(',')[0]}-x86_64-cpu`,
  id: `${CPU}${index}`,
  'socket-id': 0,
  'core-id': index,
  'thread-id': 0,
})

export const memoryObject = (place: number, mb: number): Options => ({
  'qom-type': 'memory-backend-ram',
  id: `more${place}`,
  size: mb * 1024 * 1024,
})

export const memoryDevice = (place: number): Options => ({
  driver: 'pc-dimm',
  id: `${MEMORY}${place}`,
  memdev: `more${place}`,
  slot: place,
})

/**
 * What a living guest has and what of it was plugged in, from the answers of its process. QMP reference, "query-cpus-fast",
 * "query-memory-size-summary", "query-memory-devices". Null when they are no such answers.
 */
export function sizeTold(
  cpus: unknown,
  summary: unknown,
  devices: unknown,
): (Size & { added: Added }) | null {
  if (!Array.isArray(cpus) || !Array.isArray(devices) || !isObject(summary)) return null
  const plugged = cpus.filter((cpu) => isObject(cpu) && isAddedCpu(cpu['qom-path']))
  const pieces = devices
    .flatMap((one) => (isObject(one) && isObject(one.data) ? [one.data] : []))
    .sort((one, other) => Number(one.slot) - Number(other.slot))
    .map(({ size }) => Number(size) / MIB)
  const memoryMb = (Number(summary['base-memory']) + Number(summary['plugged-memory'] ?? 0)) / MIB
  if (![memoryMb, ...pieces].every((mb) => Number.isInteger(mb) && mb > 0) || cpus.length === 0) return null
  return { cpu: cpus.length, memoryMb, added: { cpus: plugged.length, memoryMb: pieces } }
}

const MIB = 1024 * 1024
const isAddedCpu = (path: unknown): boolean =>
  typeof path === 'string' && path.startsWith(`/machine/peripheral/${CPU}`)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/**
 * What can be plugged into a living guest towards a wished size. Memory comes as one piece, and only where the blocks of the
 * guest's kernel fill it.
 *
 * @param blockMb how large they are; null where the guest does not tell
 */
export function pluggable(
  has: Size & { added: Added },
  wished: Size,
  { image, blockMb }: { image: Pick<BootImage, 'kernel'>; blockMb: number | null },
): Added {
  const base = baseOf(has, has.added)
  const cpus = Math.max(0, Math.min(wished.cpu, mostCpus(base.cpu)) - has.cpu)
  const moreMb = wished.memoryMb - has.memoryMb
  const takesMemory =
    moreMb > 0 &&
    blockMb !== null &&
    moreMb % Math.max(blockMb, pieceMb) === 0 &&
    has.added.memoryMb.length < memoryPlaces &&
    wished.memoryMb <= mostMemoryMb(image, base.memoryMb)
  return { cpus, memoryMb: takesMemory ? [moreMb] : [] }
}

/** So many blocks of memory the kernel of a guest has that makes use of all: of what it booted with, the last one may not be full. */
export function blocksOf(size: Size, added: Added, blockMb: number): number {
  const base = baseOf(size, added).memoryMb
  return Math.ceil(base / blockMb) + Math.floor((size.memoryMb - base) / blockMb)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
