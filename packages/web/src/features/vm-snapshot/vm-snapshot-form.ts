import {
  VmSnapshotCreate,
  vmSnapshotRetention,
  vmSnapshotTexts,
  type vmSnapshotTypes,
} from '@slipway/contract'

/** The form as the user sees it; a VM not chosen yet is an empty text. */
export interface VmSnapshotForm {
  name: string
  description: string
  vmId: string
  type: (typeof vmSnapshotTypes)[number]
  retentionDays: number
}

export const emptyVmSnapshotForm: VmSnapshotForm = {
  name: '',
  description: '',
  vmId: '',
  type: 'disk',
  retentionDays: vmSnapshotRetention.default,
}

/** What is sent; `now` is the moment the user asked for it. */
export function toBody(form: VmSnapshotForm, now: Date): VmSnapshotCreate {
  const description = form.description.trim()
  return {
    name: form.name.trim(),
    ...(description ? { description } : {}),
    snapshot_type: form.type,
    retention_days: form.retentionDays,
    skip_memory_snapshot: form.type === 'disk',
    metadata: { created_by: 'ui', created_at: now.toISOString() },
  }
}

export type VmSnapshotFormField = 'name' | 'description' | 'vm' | 'retention'

const wireNames = { name: 'name', description: 'description', retention: 'retention_days' } as const

/** The first rule that the form breaks, from top to bottom, with the sentence to show; null when it can be sent. */
export function firstBrokenRule(form: VmSnapshotForm): { field: VmSnapshotFormField; text: string } | null {
  const issues = VmSnapshotCreate.safeParse(toBody(form, new Date(0))).error?.issues ?? []
  for (const field of ['name', 'description', 'vm', 'retention'] as const) {
    if (field === 'vm') {
      if (form.vmId === '') return { field, text: vmSnapshotTexts.vmMissing }
      continue
    }
    const issue = issues.find(({ path }) => path[0] === wireNames[field])
    if (issue) return { field, text: issue.message }
  }
  return null
}
