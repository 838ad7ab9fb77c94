import {
  type Limits,
  VmSnapshotCreate,
  vmSnapshotRetention,
  vmSnapshotTexts,
  vmSnapshotTypeAllowed,
} from '@slipway/contract'
import { type BrokenRule, brokenRulesOf, type SnapshotForm } from '../snapshot/snapshot-form.ts'

export const emptyVmSnapshotForm: SnapshotForm = {
  name: '',
  description: '',
  sourceId: '',
  type: 'disk',
  retentionDays: vmSnapshotRetention.default,
}

/** The form with a type that can be taken here: what is chosen may turn out to be impossible. */
export const possible = (form: SnapshotForm, limits: Limits): SnapshotForm =>
  form.type === 'full' && vmSnapshotTypeAllowed('full', limits) !== true ? { ...form, type: 'disk' } : form

/** What is sent; `now` is the moment the user asked for it. */
export function toBody(form: SnapshotForm, now: Date): VmSnapshotCreate {
  const description = form.description.trim()
  const isFull = form.type === 'full'
  return {
    name: form.name.trim(),
    ...(description ? { description } : {}),
    snapshot_type: isFull ? 'full' : 'disk',
    retention_days: form.retentionDays,
    skip_memory_snapshot: !isFull,
    metadata: { created_by: 'ui', created_at: now.toISOString() },
  }
}

/** The rules that the form breaks, from top to bottom, with the sentences to show. */
export function brokenRules(form: SnapshotForm): BrokenRule[] {
  return brokenRulesOf(VmSnapshotCreate, toBody(form, new Date(0)), [
    { field: 'name', wire: 'name' },
    { field: 'description', wire: 'description' },
    { field: 'source', own: form.sourceId === '' ? vmSnapshotTexts.vmMissing : null },
    { field: 'retention', wire: 'retention_days' },
  ])
}
