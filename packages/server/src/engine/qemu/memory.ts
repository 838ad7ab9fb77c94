import { spawn } from 'node:child_process'
import { chmod, open, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BootImage } from '../../image/image-store.ts'
import { CommandError } from '../../lib/command.ts'
import { flush } from '../../lib/flush.ts'
import type { Work } from '../engine.ts'
import type { Begin } from './block-jobs.ts'
import { goesOnIn, MACHINE_SHAPE, MACHINE_SHAPE_ALONE } from './command-line.ts'
import type { HostFacts } from './host-facts.ts'
import { isRecord } from './lines.ts'
import { plainEnvironment } from './process.ts'
import { endsWithUs } from './qcow2.ts'
import type { Qmp } from './qmp.ts'
import type { MachineRecord, MemoryFit, VolumePlace } from './records.ts'

/** What a saved memory of this machine must fit, when a guest of it starts now. */
export const fitOf = (
  {
    spec,
    image,
    volumes,
  }: Pick<MachineRecord, 'image' | 'volumes'> & { spec: Pick<MachineRecord['spec'], 'cpu' | 'memoryMb'> },
  host: HostFacts,
): MemoryFit => ({
  shape: host.network.apart === null ? MACHINE_SHAPE : MACHINE_SHAPE_ALONE,
  qemu: host.qemu,
  accelerator: host.accelerator.kind,
  cpuModel: host.accelerator.cpu,
  cpu: spec.cpu,
  memoryMb: spec.memoryMb,
  volumes,
  kernel: kernelOf(image),
})

const kernelOf = ({ kernel, initrd, cmdline }: BootImage): string | null =>
  kernel ? [kernel, initrd ?? '', cmdline ?? ''].map((path) => basename(path)).join(' ') : null

/** Why a memory state does not fit a machine, or null when it does. */
export function misfit(saved: MemoryFit, now: MemoryFit): string | null {
  if (!goesOnIn(saved.shape, now.shape)) return 'it was saved by another version of Slipway'
  if (saved.qemu !== now.qemu) return 'it was saved by another version of the hypervisor'
  if (saved.accelerator !== now.accelerator || saved.cpuModel !== now.cpuModel) {
    return 'guest code is run by something else now'
  }
  if (saved.cpu !== now.cpu || saved.memoryMb !== now.memoryMb) {
    return 'the machine has other processors or memory now'
  }
  if (saved.kernel !== now.kernel) return 'the machine starts another kernel now'
  // It would never answer at the new one.
  if (saved.address !== undefined && now.address !== undefined && saved.address !== now.address) {
    return 'its address in the network of its project is another one now'
  }
  const places = (volumes: VolumePlace[]) =>
    volumes
      .map(({ id, port }) => `${port} ${id}`)
      .sort()
      .join()
  return places(saved.volumes) === places(now.volumes) ? null : 'the machine has other disks now'
}

/** The guest stands still for the last part of its memory; that part is as large as fits into this time. */
const STANDSTILL_MS = 150
/** A guest that writes faster than memory is saved is held longer after this many rounds. */
const PATIENT_PASSES = 8
const IMPATIENT_STANDSTILL_MS = 2000

/**
 * Saves the memory of a running guest to a file and begins a copy of its disks at that very moment. The guest runs
 * on while nearly all of it is saved; QEMU's own migration does the work, the file is its other end.
 *
 * @param options.directory the one QEMU runs in; it finds this process there as `options.socketName`
 * @returns when the guest goes on; waits until the file is complete and on the disk of the host
 */
export async function saveMemory(
  qmp: Qmp,
  file: string,
  begin: Begin,
  { signal }: Work,
  options: { directory: string; socketName: string },
): Promise<() => Promise<void>> {
  const receiver = await receiveInto(file, options.directory, options.socketName)
  let sent = false
  try {
    await send(qmp, receiver, signal, { ...options, limits: restless })
    sent = true
    await begin({ still: true })
  } finally {
    await cancelMigration(qmp).catch(() => {})
    // Whether it went well or not: the guest goes on now.
    await goOn(qmp).catch(() => {})
    await receiver.close(sent)
  }
  // Begun now: the disks are still being copied.
  const safe = receiver.received.then(() => flush(file))
  safe.catch(() => {})
  return () => safe
}

/**
 * Saves the memory of a running guest to a file, on the disk of the host. The guest runs on while most of it is saved,
 * and stands still when it is complete; it goes on when it could not be saved.
 */
export async function saveAndHold(
  qmp: Qmp,
  file: string,
  { signal, onProgress }: Work,
  options: { directory: string; socketName: string },
): Promise<void> {
  const receiver = await receiveInto(file, options.directory, options.socketName)
  let sent = false
  try {
    await send(qmp, receiver, signal, { ...options, limits: toStandStill, onProgress })
    sent = true
  } finally {
    if (!sent) {
      await cancelMigration(qmp).catch(() => {})
      await goOn(qmp).catch(() => {})
    }
    await receiver.close(sent)
  }
  await receiver.received
  await flush(file)
}

/** How long a guest may stand still for the last part, at first and after many rounds. */
interface StandstillLimits {
  patientMs: number
  impatientMs: number
}
const restless: StandstillLimits = { patientMs: STANDSTILL_MS, impatientMs: IMPATIENT_STANDSTILL_MS }
/** A guest that is not to go on may stand still for as long as the last part takes. */
const toStandStill: StandstillLimits = { patientMs: IMPATIENT_STANDSTILL_MS, impatientMs: 600_000 }

/** Sends all memory of a guest to a receiver; the guest stands still when it resolves. */
async function send(
  qmp: Qmp,
  receiver: { failed: Promise<never> },
  signal: AbortSignal,
  to: { socketName: string; limits: StandstillLimits; onProgress?: Work['onProgress'] },
): Promise<void> {
  signal.throwIfAborted()
  await qmp.execute('migrate-set-capabilities', {
    capabilities: [{ capability: 'events', state: true }],
  })
  const { patientMs, impatientMs } = to.limits
  await qmp.execute('migrate-set-parameters', { 'max-bandwidth': 0, 'downtime-limit': patientMs })
  await qmp.execute('migrate', { uri: `unix:${to.socketName}` })
  // A receiver that fails says why; QEMU only sees the line break.
  await Promise.race([completion(qmp, signal, impatientMs, to.onProgress), receiver.failed])
}

export async function completion(
  qmp: Qmp,
  signal: AbortSignal,
  impatientMs = IMPATIENT_STANDSTILL_MS,
  onProgress?: Work['onProgress'],
): Promise<void> {
  for (let hurried = false; ; ) {
    const { status, passes, sent, why } = await migrationOf(qmp)
    if (status === 'completed') return
    if (status === 'failed' || status === 'cancelled') throw new Error(why || 'The memory was not saved')
    signal.throwIfAborted()
    onProgress?.(sent)
    if (!hurried && passes > PATIENT_PASSES) {
      hurried = true
      await qmp.execute('migrate-set-parameters', { 'downtime-limit': impatientMs })
    }
    await sleep(5)
  }
}

interface Migration {
  status: unknown
  passes: number
  /** From 0 to 1, of the memory as it is now. */
  sent: number
  why: string
}

async function migrationOf(qmp: Qmp): Promise<Migration> {
  const answer = await qmp.execute('query-migrate')
  if (!isRecord(answer)) return { status: null, passes: 0, sent: 0, why: '' }
  const ram = isRecord(answer.ram) ? answer.ram : {}
  const [total, remaining] = [Number(ram.total ?? 0), Number(ram.remaining ?? 0)]
  return {
    status: answer.status,
    passes: Number(ram['dirty-sync-count'] ?? 0),
    sent: total > 0 ? 1 - remaining / total : 0,
    why: String(answer['error-desc'] ?? ''),
  }
}

/** Ends the saving of memory, whoever began it; the guest goes on where it was. */
export async function cancelMigration(qmp: Qmp): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    const { status } = await migrationOf(qmp)
    if (status !== 'setup' && status !== 'active' && status !== 'cancelling' && status !== 'device') return
    await qmp.execute('migrate_cancel')
    await sleep(10)
  }
}

/** Lets a guest run that stands still for whatever reason; no guest of ours stands still for long. */
export async function goOn(qmp: Qmp): Promise<void> {
  const status = await statusOf(qmp)
  if (status !== 'running' && status !== 'shutdown' && status !== 'inmigrate') await qmp.execute('cont')
}

/** QEMU's word for what a guest does, such as `running` or `io-error`. Words: QMP reference, "RunState". */
export async function statusOf(qmp: Qmp): Promise<unknown> {
  const answer = await qmp.execute('query-status')
  return isRecord(answer) ? answer.status : null
}

/** Listens in a machine's directory, and writes to a file what the first caller sends. */
export async function receiveInto(file: string, directory: string, name: string) {
  const socketDir = await open(directory)
  const path = `/proc/self/fd/${socketDir.fd}/${name}`
  const server: Server = createServer({ pauseOnConnect: true })
  const givenUp = new AbortController()
  let caller: Socket | null = null
  const received = new Promise<void>((resolve, reject) => {
    server.once('connection', (socket) => {
      caller = socket
      // Who writes it down tells what went wrong.
      socket.on('error', () => {})
      writeDown(socket, file, givenUp.signal)
        .then(resolve, reject)
        // Not earlier: QEMU learns of a failure after it is known here.
        .finally(() => socket.destroy())
    })
    server.once('error', reject)
  })
  const failed = received.then(() => new Promise<never>(() => {}))
  failed.catch(() => {})
  try {
    await rm(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
    // Only processes that were started in this directory get here at all.
    await chmod(path, 0o666)
  } catch (error) {
    server.close()
    await socketDir.close()
    throw error
  }
  return {
    received,
    failed,
    /** Nothing is waited for any more unless all was sent: a guest that hangs would keep its line open for ever. */
    async close(sent: boolean): Promise<void> {
      server.close()
      // Nobody called: nothing to wait for.
      if (!caller) server.emit('error', new Error('The memory was not sent'))
      if (!sent) givenUp.abort()
      await rm(path, { force: true })
      await socketDir.close()
    },
  }
}

/**
 * Writes to a file what comes over a line of which nothing was read yet. Another process does it: in this one the
 * memory of a guest would take a second of everybody's time.
 */
async function writeDown(line: Socket, path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    const [command, ...before] = endsWithUs
    const child = spawn(command, [...before, 'cat'], {
      env: plainEnvironment(),
      stdio: [line, file.fd, 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    })
    let complaint = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint = `${complaint}${chunk}`.slice(-4096)
    })
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (status) => {
        if (status === 0) resolve()
        else reject(new CommandError('cat', complaint, 'The memory was not written', { status }))
      })
    })
  } finally {
    await file.close()
  }
}
