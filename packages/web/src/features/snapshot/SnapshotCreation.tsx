import type { ProjectEndpointId } from '@slipway/contract'
import type { ReactNode } from 'react'
import { useSelectedProject } from '../../api/projects.ts'
import { BackLink } from '../../shell/BackLink.tsx'
import { CreateFoot } from '../../shell/CreateFoot.tsx'
import { Field, NameInput, TextArea } from '../../ui/Field.tsx'
import { FormColumns, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { AsText, type AsTextProps } from '../as-text/AsText.tsx'
import { QuotaNote } from '../quota/QuotaNote.tsx'
import type { BrokenRule, SnapshotForm } from './snapshot-form.ts'
import { type Creation, useSnapshotCreation } from './use-snapshot-creation.ts'

interface SnapshotCreationProps extends Creation {
  /** The call that it makes: whoever may not make it cannot create. */
  call: ProjectEndpointId
  /** Each kind of snapshot has its own, to the letter. */
  texts: Creation['texts'] & {
    /** Of the page and of the form. */
    title: string
    description: string
    back: string
    /** While the choices are on their way. */
    loading: string
    nameHint?: string
  }
  onChange: (part: Partial<SnapshotForm>) => void
  /** What would be sent now, for those who send it in another way. */
  asText: Pick<AsTextProps, 'params' | 'named' | 'body'>
  /** Which VM or disk: the section and its field. */
  source: { title: string; field: ReactNode }
  types: readonly {
    value: SnapshotForm['type']
    label: string
    description: ReactNode
    disabledReason?: string | undefined
  }[]
  retention: { min: number; max: number; fallback: number; hint: string; more?: ReactNode }
  /** Beside the form: what the snapshot will contain. */
  children: ReactNode
}

/** The page that creates a snapshot, of a VM or of a disk. */
export function SnapshotCreation({
  call,
  onChange,
  asText,
  source,
  types,
  retention: { hint, more, ...range },
  children,
  ...creation
}: SnapshotCreationProps) {
  const { texts, form, rules, loading, listPath } = creation
  const { project } = useSelectedProject()
  const { pending, error, submit, quota } = useSnapshotCreation(creation)
  const complaint = (field: BrokenRule['field']) => rules.find((rule) => rule.field === field)?.text
  return (
    <>
      <BackLink to={listPath}>{texts.back}</BackLink>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <AsText
            {...asText}
            call={call}
            project={project}
            missing={loading ? texts.loading : rules[0]?.text}
          />
        }
      />
      <FormColumns>
        <FormSheet label={texts.title} onSubmit={submit}>
          <QuotaNote left={quota.left} />
          <FormSection title="Snapshot">
            <Field label="Snapshot Name" hint={texts.nameHint}>
              <NameInput value={form.name} onChange={(event) => onChange({ name: event.target.value })} />
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
          <CreateFoot
            call={call}
            label="Create Snapshot"
            note={quota.refusal ?? (loading ? texts.loading : rules[0]?.text)}
            error={error}
            pending={pending}
            cancelTo={listPath}
          />
        </FormSheet>
        {children}
      </FormColumns>
    </>
  )
}
