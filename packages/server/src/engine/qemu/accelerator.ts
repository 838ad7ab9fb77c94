import { access, constants, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { release, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BootImage } from '../../image/image-store.ts'
import { CommandError, run } from '../../lib/command.ts'
import { EngineError } from '../engine.ts'
import { bootSector, EXIT_PORT, PROVEN_STATUS } from './boot-sector.ts'
import { QEMU } from './launch.ts'

/** What runs guest code. */
export interface Accelerator {
  kind: 'KVM' | 'TCG'
  /** Value of QEMU's `-cpu`. */
  cpu: string
  /** Why it is this one, in a sentence for the operator. */
  reason: string
}

/** What the operator wants: `auto` finds out, `kvm` and `tcg` are taken as they are. */
export type AcceleratorChoice = 'auto' | 'kvm' | 'tcg'

const SECTOR_MS = 2000
const KERNEL_MS = 10_000
/** In the order of preference; the second one helps hosts that refuse one register. */
const KVM_CPUS = ['host', 'host,-arch-capabilities']
/** x86-64-v2, what current distributions ask for at least; a small model is translated faster than a large one. */
const TCG_CPU = 'Nehalem'
/**
 * Before QEMU 8.0, translation leaves wrong processor flags behind CMPXCHG16B. Linux since 6.5 uses that wherever it
 * allocates memory, and when an interrupt comes just then it dies of a double fault: measured in two starts of a
 * Debian 13 kernel out of seven. Kernels do without the instruction when there is none.
 */
const FIRST_SOUND_QEMU = 8
/** Of how KVM is judged and of {@link FIRST_SOUND_QEMU}; a verdict by earlier rules is not taken. */
const RULES = 9

/**
 * Chooses what runs guest code. With `kvm` it is KVM wherever the host offers it, however slowly it runs; an
 * `EngineError` says why it does not. `tcg` tries nothing out.
 *
 * @param kernel where to find a real kernel, asked for only when `auto` needs one
 */
export async function chooseAccelerator(
  choice: AcceleratorChoice,
  dataDir: string,
  kernel: () => Promise<BootImage | null>,
  devicePath = '/dev/kvm',
): Promise<Accelerator> {
  if (choice === 'auto') return probeAccelerator(dataDir, kernel)
  if (choice === 'kvm') return insistOnKvm(devicePath)
  const reason = 'SLIPWAY_ACCELERATOR is tcg, so guests run in software (TCG), which is slower.'
  return { kind: 'TCG', cpu: tcgCpu(await describeHost()), reason }
}

async function insistOnKvm(devicePath: string): Promise<Accelerator> {
  const device = await kvmDevice(devicePath)
  if (device !== 'usable') throw new EngineError('internal', NO_KVM[device])
  for (const cpu of KVM_CPUS) {
    if ((await runsSector(['-accel', 'kvm', '-cpu', cpu])) === REFUSED) continue
    const reason = 'SLIPWAY_ACCELERATOR is kvm, so KVM is used regardless of its speed on this host.'
    return { kind: 'KVM', cpu, reason }
  }
  throw new EngineError(
    'internal',
    'SLIPWAY_ACCELERATOR is kvm, but QEMU cannot run a guest with the KVM of this host. Set it to auto or tcg.',
  )
}

const NO_KVM = {
  missing:
    'SLIPWAY_ACCELERATOR is kvm, but this host has no KVM device (/dev/kvm). Enable virtualization in its firmware or hypervisor, or set SLIPWAY_ACCELERATOR to auto or tcg.',
  forbidden:
    'SLIPWAY_ACCELERATOR is kvm, but the server may not open the KVM device of this host (/dev/kvm). Add its user to the group kvm, or set SLIPWAY_ACCELERATOR to auto or tcg.',
}

/**
 * Finds out whether KVM works by running guests under it, because a device file that can be opened proves nothing:
 * first a boot sector, which a broken KVM fails within two seconds, then a real kernel, which has to start faster than
 * by translation. The verdict is kept in `<dataDir>/accelerator.json` until QEMU, the host's kernel or its KVM device change.
 *
 * @param kernel where to find a real kernel, asked for only when the first stage is passed
 */
async function probeAccelerator(
  dataDir: string,
  kernel: () => Promise<BootImage | null>,
): Promise<Accelerator> {
  const path = join(dataDir, 'accelerator.json')
  const host = await describeHost()
  const kept = await readVerdict(path)
  if (kept?.host === host) return kept.accelerator

  const { accelerator, final } = await judge(kernel, tcgCpu(host))
  if (final) {
    await writeFile(`${path}.new`, `${JSON.stringify({ host, accelerator }, null, 2)}\n`)
    await rename(`${path}.new`, path)
  }
  return accelerator
}

/** @param host as {@link describeHost} tells it, which begins with QEMU's version */
function tcgCpu(host: string): string {
  const [, major] = /version (\d+)\./.exec(host) ?? []
  return Number(major) < FIRST_SOUND_QEMU ? `${TCG_CPU},-cx16` : TCG_CPU
}

async function judge(
  kernel: () => Promise<BootImage | null>,
  tcg: string,
): Promise<{ accelerator: Accelerator; final: boolean }> {
  const device = await kvmDevice()
  if (device !== 'usable') {
    const reason =
      device === 'missing'
        ? 'This host has no KVM device, so guests run in software (TCG), which is slower.'
        : 'The server may not open the KVM device of this host, so guests run in software (TCG), which is slower.'
    // Cheap to see again, so it is not kept: a permission may be given without anything else changing.
    return { accelerator: { kind: 'TCG', cpu: tcg, reason }, final: false }
  }

  let complaint = ''
  for (const cpu of KVM_CPUS) {
    const args = ['-accel', 'kvm', '-cpu', cpu]
    const sector = await runsSector(args)
    if (sector !== true) {
      complaint = sector
      continue
    }
    const image = await kernel()
    if (!image) {
      const reason =
        'KVM passed its first test; guests run by translation until a kernel is there for the second.'
      return { accelerator: { kind: 'TCG', cpu: tcg, reason }, final: false }
    }
    const begun = performance.now()
    if (!(await runsKernel(args, image, KERNEL_MS))) {
      complaint = 'a real kernel did not start under it in time'
      continue
    }
    // One that emulates part of the guest may get this far and then take minutes over what comes after the kernel.
    const took = Math.ceil(performance.now() - begun)
    if (await runsKernel(['-accel', 'tcg', '-cpu', tcg], image, took)) {
      complaint = 'it starts a real kernel no faster than translation does'
      continue
    }
    const reason = 'KVM runs a real kernel on this host.'
    return { accelerator: { kind: 'KVM', cpu, reason }, final: true }
  }
  const reason = `This host offers KVM but it does not work: ${complaint}. Guests run in software (TCG), which is slower.`
  return { accelerator: { kind: 'TCG', cpu: tcg, reason }, final: true }
}

const REFUSED = 'it refused the processor of this host'

/** True, or what went wrong. Exported because the sector itself can be proven under translation. */
export async function runsSector(acceleratorArgs: string[]): Promise<true | string> {
  const work = await mkdtemp(join(tmpdir(), 'slipway-probe-'))
  const sector = join(work, 'sector')
  try {
    await writeFile(sector, bootSector())
    await run(
      QEMU,
      [
        ...acceleratorArgs,
        ...['-m', '64', '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
        ...['-device', `isa-debug-exit,iobase=${EXIT_PORT},iosize=1`],
        ...['-drive', `file=${sector},format=raw,if=ide`],
      ],
      { timeoutMs: SECTOR_MS },
    )
    return 'it did not run the test to its end'
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    if (error.status === PROVEN_STATUS) return true
    if (error.code === 'ETIMEDOUT') return 'it is far too slow, as when it emulates guest code'
    return REFUSED
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/**
 * Whether a real kernel comes up. It gets no root disk, so once all of it is started it panics, restarts at once
 * (`panic=-1`) and thereby ends QEMU: in well under a second on working hardware.
 */
async function runsKernel(acceleratorArgs: string[], image: BootImage, timeoutMs: number): Promise<boolean> {
  if (!image.kernel) return false
  const args = [
    ...acceleratorArgs,
    ...['-machine', 'q35', '-m', '256', '-nodefaults', '-no-user-config', '-display', 'none'],
    ...['-kernel', image.kernel, '-append', 'console=ttyS0 panic=-1 quiet', '-serial', 'stdio', '-no-reboot'],
  ]
  return run(QEMU, args, { timeoutMs }).then(
    (printed) => printed.includes('Unable to mount root fs'),
    () => false,
  )
}

async function kvmDevice(path = '/dev/kvm'): Promise<'usable' | 'missing' | 'forbidden'> {
  try {
    await access(path, constants.R_OK | constants.W_OK)
    return 'usable'
  } catch {
    return (await stat(path).catch(() => null)) ? 'forbidden' : 'missing'
  }
}

/** What the verdict depends on, our own rules included. */
async function describeHost(): Promise<string> {
  const qemu = await run(QEMU, ['--version']).catch(() => 'none')
  const device = await stat('/dev/kvm').catch(() => null)
  const access = device ? `${device.rdev}:${device.mode}:${process.getuid?.()}` : 'none'
  return [qemu.split('\n')[0], release(), access, RULES].join(' | ')
}

async function readVerdict(path: string): Promise<{ host: string; accelerator: Accelerator } | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return null
  }
}
