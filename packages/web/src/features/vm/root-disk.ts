/** The size of a root disk as it is typed. */
import { gibibyte, parseDiskSize, RootDiskGb } from '@slipway/contract'

/** The size that a text such as `30` or `30GB` names, in whole Gi. What is none is `NaN`, which the contract refuses. */
export function parseRootDisk(text: string): number {
  const gi = parseDiskSize(text, Number.POSITIVE_INFINITY)
  return typeof gi === 'number' ? gi : Number.NaN
}

/** What a new VM sends of it; nothing where the template decides. */
export const rootDiskBody = (text: string): { root_disk_gb?: number } =>
  text.trim() === '' ? {} : { root_disk_gb: parseRootDisk(text) }

/** What is wrong with the size as it is typed; undefined when it can be sent, or there is none. */
export const brokenRootDisk = (text: string): string | undefined =>
  text.trim() === '' ? undefined : RootDiskGb.safeParse(parseRootDisk(text)).error?.issues[0]?.message

/** What it takes of a quota: nothing where it is as the template makes it, or cannot be read. */
export function rootDiskBytes(text: string, templateGb: number | null | undefined): number {
  const gi = parseRootDisk(text)
  return Number.isNaN(gi) || gi === templateGb ? 0 : gi * gibibyte
}

/** What root disks have without a size of their own, with `more` where that is known. */
export const rootDiskHint = (templateGb: number | null | undefined, more = ''): string =>
  templateGb == null
    ? 'Left empty, it is as large as the template makes it.'
    : `Left empty, it has the ${templateGb} GB of the template.${more}`
