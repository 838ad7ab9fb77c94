import type { ReactNode } from 'react'
import { CancelLink } from '../../shell/CancelLink.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field, TextArea, TextInput } from '../../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import type { BrokenRule, SnapshotForm } from './snapshot-form.ts'

interface SnapshotFormSheetProps {
  /** Names the form. */
  label: string
  form: SnapshotForm
  onChange: (part: Partial<SnapshotForm>) => void
  rules: readonly BrokenRule[]
  nameHint?: string
  /** Which VM or disk: the section and its field. */
  source: { title: string; field: ReactNode }
  types: readonly { value: SnapshotForm['type']; label: string; description: ReactNode }[]
  retention: { min: number; max: number; fallback: number; hint: string; more?: ReactNode }
  /** What is still missing, or what happens now. */
  note: string | undefined
  error: string | undefined
  pending: boolean
  cancelTo: string
  onSubmit: () => void
}

/** The form that creates a snapshot, of a VM or of a disk. */
export function SnapshotFormSheet({
  label,
  form,
  onChange,
  rules,
  nameHint,
  source,
  types,
  retention: { hint, more, ...range },
  note,
  error,
  pending,
  cancelTo,
  onSubmit,
}: SnapshotFormSheetProps) {
  const complaint = (field: BrokenRule['field']) => rules.find((rule) => rule.field === field)?.text
  return (
    <FormSheet label={label} onSubmit={onSubmit}>
      <FormSection title="Snapshot">
        <Field label="Snapshot Name" hint={nameHint}>
          <TextInput
            value={form.name}
            onChange={(event) => onChange({ name: event.target.value })}
            autoComplete="off"
            maxLength={100}
            dir="auto"
          />
        </Field>
        <Field label="Description" optional error={complaint('description')}>
          <TextArea
            value={form.description}
            onChange={(event) => onChange({ description: event.target.value })}
            rows={2}
            dir="auto"
          />
        </Field>
      </FormSection>
      <FormSection title={source.title}>{source.field}</FormSection>
      <FormSection title="Content">
        <RadioGroup
          label="Snapshot Type"
          value={form.type}
          onValueChange={(value) => {
            const type = types.find((one) => one.value === value)?.value
            if (type) onChange({ type })
          }}
          options={types}
        />
      </FormSection>
      <FormSection title="Retention">
        <Field
          label="Retention Period"
          aside={<span className="text-label text-ink-3">Days</span>}
          error={complaint('retention')}
          hint={hint}
          className="max-w-60"
        >
          <NumberInput
            {...range}
            value={form.retentionDays}
            onValueChange={(retentionDays) => onChange({ retentionDays })}
          />
        </Field>
        {more}
      </FormSection>
      <FormFoot note={note} error={error} errorSaid>
        <CancelLink to={cancelTo} />
        <Button type="submit" variant="primary" busy={pending} busyText="Creating..." disabledReason={note}>
          Create Snapshot
        </Button>
      </FormFoot>
    </FormSheet>
  )
}
