import {
  DiskSnapshotCreate,
  diskSnapshotRetention,
  diskSnapshotTexts,
  diskSnapshotTypeAllowed,
  type Limits,
} from '@slipway/contract'
import { type BrokenRule, brokenRulesOf, type SnapshotForm } from '../snapshot/snapshot-form.ts'

export const emptyDiskSnapshotForm: SnapshotForm = {
  name: '',
  description: '',
  sourceId: '',
  type: 'full',
  retentionDays: diskSnapshotRetention.default,
}

/** The form with a type that can be taken here: what is chosen may turn out to be impossible. */
export const possible = (form: SnapshotForm, limits: Limits): SnapshotForm =>
  form.type === 'incremental' && diskSnapshotTypeAllowed('incremental', limits) !== true
    ? { ...form, type: 'full' }
    : form

/** What is sent: exactly the fields of the call. */
export function toBody(form: SnapshotForm): DiskSnapshotCreate {
  return {
    name: form.name.trim(),
    description: form.description.trim(),
    snapshot_type: form.type === 'incremental' ? 'incremental' : 'full',
    retention_days: form.retentionDays,
    disk_id: form.sourceId,
  }
}

/** The rules that the form breaks, in the order of the specification, with the sentences to show. */
export function brokenRules(form: SnapshotForm, projectId: string | undefined): BrokenRule[] {
  return brokenRulesOf(DiskSnapshotCreate, toBody(form), [
    { field: 'name', wire: 'name' },
    { field: 'source', wire: 'disk_id' },
    { field: 'project', own: projectId ? null : diskSnapshotTexts.projectMissing },
    { field: 'retention', wire: 'retention_days' },
    { field: 'description', wire: 'description' },
  ])
}
