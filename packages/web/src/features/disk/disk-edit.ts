/** The form that changes a disk. */
import { type Disk, DiskUpdate, parseDiskSize, tooSmall } from '@slipway/contract'
import { sizeText } from './size-text.ts'

/** What the fields show of a disk: the size that it has, or is being made larger to. */
export const fieldsOf = (disk: Disk) => ({
  name: disk.name,
  description: disk.description,
  size: `${disk.next_size_gb ?? disk.size_gb}Gi`,
})
export type DiskFields = ReturnType<typeof fieldsOf>

/** What differs from the disk, or the first rule that is broken; null when nothing differs. */
export function changesIn(
  disk: Disk,
  form: DiskFields,
): { body: DiskUpdate } | { broken: string | undefined } | null {
  const has = fieldsOf(disk)
  const size = sizeText(form.size)
  const body: DiskUpdate = {
    ...(form.name.trim() !== has.name && { name: form.name.trim() }),
    ...(form.description.trim() !== has.description && { description: form.description.trim() }),
    ...(size !== has.size && { size }),
  }
  if (Object.keys(body).length === 0) return null
  const parsed = DiskUpdate.safeParse(body)
  if (!parsed.success) return { broken: parsed.error.issues[0]?.message }
  return moreGi(disk, body) < 0 ? { broken: tooSmall(disk.size) } : { body }
}

/** How much larger than now a disk becomes, in Gi; negative: it would be smaller. */
export function moreGi(disk: Disk, { size }: DiskUpdate): number {
  const gi = size === undefined ? disk.size_gb : parseDiskSize(size)
  return typeof gi === 'number' ? gi - disk.size_gb : 0
}
