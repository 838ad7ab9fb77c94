import type { Template } from '@slipway/contract'
import type { ComponentPropsWithRef } from 'react'
import { Field, TextInput } from '../../ui/Field.tsx'

interface NumberField extends ComponentPropsWithRef<'input'> {
  error: string | undefined
}

interface VmSizeFieldsProps {
  template: Pick<Template, 'default_cpu' | 'default_memory_mb'> | undefined
  cpu: NumberField
  memory: NumberField
  hint: string
}

/** How many processors and how much memory a new VM gets, or each of several, as texts. */
export function VmSizeFields({ template, cpu, memory, hint }: VmSizeFieldsProps) {
  const fields = [
    { label: 'CPUs', field: cpu, ofTemplate: template?.default_cpu },
    { label: 'Memory (MB)', field: memory, ofTemplate: template?.default_memory_mb },
  ]
  return (
    <div>
      <div className="grid grid-cols-2 gap-4">
        {fields.map(({ label, field: { error, ...input }, ofTemplate }) => (
          <Field key={label} label={label} optional error={error}>
            <TextInput
              {...input}
              placeholder={`${ofTemplate ?? ''}`}
              autoComplete="off"
              inputMode="numeric"
              maxLength={40}
            />
          </Field>
        ))}
      </div>
      <p className="mt-1.5 text-hint text-ink-3">{hint}</p>
    </div>
  )
}
