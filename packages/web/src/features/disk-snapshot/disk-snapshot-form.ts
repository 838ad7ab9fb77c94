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

export interface BrokenRule {
  field: 'name' | 'disk' | 'project' | 'retention' | 'description'
  text: string
}

/** Order in which broken rules are told, and where the contract reports each. */
const fieldOrder: readonly { field: BrokenRule['field']; wire?: keyof DiskSnapshotCreate }[] = [
  { field: 'name', wire: 'name' },
  { field: 'disk', wire: 'disk_id' },
  { field: 'project' },
  { field: 'retention', wire: 'retention_days' },
  { field: 'description', wire: 'description' },
]

/** The rules that the form breaks, in the order they are told, with the sentences to show. */
export function brokenRules(form: DiskSnapshotForm, projectId: string | undefined): BrokenRule[] {
  const issues = DiskSnapshotCreate.safeParse(toBody(form)).error?.issues ?? []
  return fieldOrder.flatMap(({ field, wire }) => {
    if (!wire) return projectId ? [] : [{ field, text: diskSnapshotTexts.projectMissing }]
    const issue = issues.find(({ path }) => path[0] === wire)
    return issue ? [{ field, text: issue.message }] : []
  })
}
