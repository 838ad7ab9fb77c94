import {
  DiskSnapshotCreate,
  diskSnapshotRetention,
  diskSnapshotTexts,
  type diskSnapshotTypes,
} from '@slipway/contract'

/** The form as the user sees it; a disk not chosen yet is an empty text. */
export interface DiskSnapshotForm {
  name: string
  description: string
  diskId: string
  type: (typeof diskSnapshotTypes)[number]
  retentionDays: number
}

export const emptyDiskSnapshotForm: DiskSnapshotForm = {
  name: '',
  description: '',
  diskId: '',
  type: 'full',
  retentionDays: diskSnapshotRetention.default,
}

/** What is sent: exactly the fields of the call. */
export function toBody(form: DiskSnapshotForm): DiskSnapshotCreate {
  return {
    name: form.name.trim(),
    description: form.description.trim(),
    snapshot_type: form.type,
    retention_days: form.retentionDays,
    disk_id: form.diskId,
  }
}

export type DiskSnapshotFormField = 'name' | 'disk' | 'project' | 'retention' | 'description'

/** Order in which broken rules are told, and where the contract reports each. */
const fieldOrder: readonly { field: DiskSnapshotFormField; wire?: keyof DiskSnapshotCreate }[] = [
  { field: 'name', wire: 'name' },
  { field: 'disk', wire: 'disk_id' },
  { field: 'project' },
  { field: 'retention', wire: 'retention_days' },
  { field: 'description', wire: 'description' },
]

/** The first rule that the form breaks, with the sentence to show; null when it can be sent. */
export function firstBrokenRule(
  form: DiskSnapshotForm,
  projectId: string | undefined,
): { field: DiskSnapshotFormField; text: string } | null {
  const issues = DiskSnapshotCreate.safeParse(toBody(form)).error?.issues ?? []
  for (const { field, wire } of fieldOrder) {
    if (!wire) {
      if (!projectId) return { field, text: diskSnapshotTexts.projectMissing }
      continue
    }
    const issue = issues.find(({ path }) => path[0] === wire)
    if (issue) return { field, text: issue.message }
  }
  return null
}
