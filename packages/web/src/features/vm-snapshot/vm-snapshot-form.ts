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

export interface BrokenRule {
  field: 'name' | 'description' | 'vm' | 'retention'
  text: string
}

/** Order in which broken rules are told, and where the contract reports each. */
const fieldOrder: readonly { field: BrokenRule['field']; wire?: keyof VmSnapshotCreate }[] = [
  { field: 'name', wire: 'name' },
  { field: 'description', wire: 'description' },
  { field: 'vm' },
  { field: 'retention', wire: 'retention_days' },
]

/** The rules that the form breaks, from top to bottom, with the sentences to show. */
export function brokenRules(form: VmSnapshotForm): BrokenRule[] {
  const issues = VmSnapshotCreate.safeParse(toBody(form, new Date(0))).error?.issues ?? []
  return fieldOrder.flatMap(({ field, wire }) => {
    if (!wire) return form.vmId === '' ? [{ field, text: vmSnapshotTexts.vmMissing }] : []
    const issue = issues.find(({ path }) => path[0] === wire)
    return issue ? [{ field, text: issue.message }] : []
  })
}
