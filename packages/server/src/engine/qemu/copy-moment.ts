import type { SnapshotMade, Work } from '../engine.ts'
import type { Begin } from './block-jobs.ts'
import type { Guest } from './guest.ts'
import { sizeOf } from './guest-units.ts'
import type { HostFacts } from './host-facts.ts'
import { OVERHEAD_MB } from './launch.ts'
import { isRecord } from './lines.ts'
import { fileNames } from './machine-dir.ts'
import { hasAny } from './machine-size.ts'
import type { SnapshotSource } from './machine-snapshots.ts'
import { fitOf, saveMemory } from './memory.ts'
import { residentMb } from './process.ts'
import type { Qmp } from './qmp.ts'
import type { MachineRecord, MemoryFit } from './records.ts'

/**
 * The moment for a copy of disks alone: one in which the guest holds its file systems still, if it can. Disks that a
 * saved memory goes on with are as that guest left them, in the middle of its work.
 */
export const momentOf =
  (guest: Guest | null, isSuspended = false) =>
  async (begin: Begin): Promise<SnapshotMade['consistency']> => {
    if (guest) return (await guest.freezing.whileFrozen(begin)) ? 'frozen' : 'crash'
    await begin()
    return isSuspended ? 'crash' : 'clean'
  }

/**
 * How to save the memory of a living guest, and with it the moment for a copy of its disks.
 *
 * @param options.directory that of its machine
 */
export async function memoryOf(
  guest: Guest,
  record: MachineRecord,
  work: Work,
  { host, directory }: { host: HostFacts; directory: string },
): Promise<NonNullable<SnapshotSource['memory']>> {
  return {
    fit: await memoryFit(guest, record, host),
    mostBytes: await mostBytesOf(guest, record),
    save: (file, begin) =>
      saveMemory(guest.qmp, file, begin, work, { directory, socketName: fileNames.memorySocket }),
  }
}

/** What the memory of a living guest fits. */
export async function memoryFit(guest: Guest, record: MachineRecord, host: HostFacts): Promise<MemoryFit> {
  const { accelerator, cpuModel, shape } = guest.run
  const { added, ...spec } = await sizeOf(guest.qmp)
  return {
    ...fitOf({ image: record.image, spec, volumes: [...guest.volumes()] }, host),
    ...(hasAny(added) && { added }),
    shape,
    qemu: await versionOf(guest.qmp),
    accelerator,
    cpuModel,
    ...(guest.run.plug && { address: guest.run.plug.ip }),
  }
}

/** How large the memory of a living guest can become as a file. */
export const mostBytesOf = async (guest: Guest, { spec }: MachineRecord): Promise<number> =>
  Math.min(await residentMb(guest.pid), spec.memoryMb + OVERHEAD_MB) * 1024 * 1024

/** The version of QEMU that runs a guest, which may be older than the installed one. */
async function versionOf(qmp: Qmp): Promise<string> {
  const answer = await qmp.execute('query-version')
  const version = isRecord(answer) && isRecord(answer.qemu) ? answer.qemu : {}
  return `${version.major}.${version.minor}.${version.micro}`
}
