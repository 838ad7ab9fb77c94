/** A project as a file, which is planned and applied: what holds beyond the shape of it. */
import { isWebAddress } from './template.rules.ts'

/** The version of the format. */
export const projectFileVersion = 1

export const projectFileTexts = {
  version: `Write \`slipway: ${projectFileVersion}\` as the version of the format`,
  template: 'Name the template',
  sshKey: 'Name the SSH key',
  disk: 'Name disks of the project',
  diskTwice: 'A disk can be attached to one VM only',
  unknown: (fields: readonly string[]) =>
    fields.length === 1
      ? `There is no field \`${fields[0]}\``
      : `There are no fields ${fields.map((field) => `\`${field}\``).join(', ')}`,
  shape: 'Write fields and their values here',
} as const

/** A disk that two VMs of a file want, with the one that is second; null when none is. */
export function diskWantedTwice(
  vms: Readonly<Record<string, { disks?: readonly string[] | undefined }>>,
): { vm: string; index: number } | null {
  const taken = new Set<string>()
  for (const [vm, { disks = [] }] of Object.entries(vms))
    for (const [index, disk] of disks.entries()) {
      if (taken.has(disk)) return { vm, index }
      taken.add(disk)
    }
  return null
}

/** What a file says of the making of a disk. One whose content came from a snapshot or a file is blank there. */
export function madeOf(disk: { size: string; source: string; image_url: string | null }): {
  size: string
  source: 'EMPTY' | 'HTTP' | 'REGISTRY'
  image_url?: string
} {
  const { size, image_url } = disk
  if (disk.source !== 'image' || image_url === null) return { size, source: 'EMPTY' }
  return { size, source: isWebAddress(image_url) ? 'HTTP' : 'REGISTRY', image_url }
}
