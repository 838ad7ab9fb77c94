/** What a frozen guest fits, and the name it goes by: pure. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { BootImage } from '../../../image/image-store.ts'
import { isShapeOfNow } from '../command-line.ts'
import type { HostFacts } from '../host-facts.ts'
import { fitOf } from '../memory.ts'
import type { MachineRecord, MemoryFit } from '../records.ts'

/** Raise it with every change in how guests are frozen, or in what is expected of images. */
const FORMAT = 2

/** What a machine must be like to start from a frozen guest: that of a saved memory, on an untouched root disk. */
export interface WarmFit extends MemoryFit {
  format: number
  /** The disk of the image, by its content. */
  disk: string
  rootBytes: number
}

interface Wanted {
  spec: Pick<MachineRecord['spec'], 'cpu' | 'memoryMb'>
  image: BootImage
}

export const warmFitOf = ({ spec, image }: Wanted, host: HostFacts): WarmFit => ({
  ...fitOf({ spec, image, volumes: [] }, host),
  format: FORMAT,
  disk: basename(image.disk),
  rootBytes: image.rootBytes ?? 0,
})

/** The name of the frozen guest that fits: equal for equal fits, whatever the order of their fields. */
export function keyOf(fit: WarmFit): string {
  const fields = Object.entries(fit).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

/** Why a machine boots in any case, or null when it may start from a frozen guest. */
export function whyCold({
  spec,
  image,
  volumes,
  scripted,
}: Pick<MachineRecord, 'image' | 'volumes' | 'scripted'> & {
  spec: Pick<MachineRecord['spec'], 'rootBytes'>
}): string | null {
  if (!isOurs(image)) return 'its image comes from elsewhere'
  // A frozen guest knows how large its root disk is, and a boot makes use of a larger one.
  if ((spec.rootBytes ?? 0) > (image.rootBytes ?? 0)) return 'its root disk is larger than that of its image'
  // A frozen guest reads no seed any more.
  if (scripted) return 'it has a start script'
  return volumes.length > 0 ? 'it has data disks' : null
}

/** Only images of our own carry what gives a guest a new identity; only they start without firmware. */
export const isOurs = ({ kernel }: BootImage): boolean => kernel !== undefined

/** Whether a frozen guest can still be of use on this host. */
export const isOfHost = (fit: WarmFit, host: HostFacts): boolean =>
  fit.format === FORMAT &&
  isShapeOfNow(fit.shape) &&
  fit.qemu === host.qemu &&
  fit.accelerator === host.accelerator.kind &&
  fit.cpuModel === host.accelerator.cpu
