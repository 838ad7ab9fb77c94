import type { Template } from '@slipway/contract'
import type { UseFormRegister } from 'react-hook-form'
import { Field, TextInput } from '../../ui/Field.tsx'
import { brokenNumber, type VmForm } from './vm-form.ts'

interface VmSizeFieldsProps {
  template: Pick<Template, 'default_cpu' | 'default_memory_mb'> | undefined
  form: Pick<VmForm, 'cpu' | 'memoryMb'>
  /** Nobody is told what is wrong before they have left the field. */
  touched: { cpu?: boolean; memoryMb?: boolean }
  register: UseFormRegister<VmForm>
}

/** How many processors and how much memory a new VM gets. */
export function VmSizeFields({ template, form, touched, register }: VmSizeFieldsProps) {
  const number = { autoComplete: 'off', inputMode: 'numeric', maxLength: 40 } as const
  return (
    <div>
      <div className="grid grid-cols-2 gap-4">
        <Field label="CPUs" optional error={touched.cpu ? brokenNumber('cpu', form.cpu) : undefined}>
          <TextInput {...register('cpu')} {...number} placeholder={`${template?.default_cpu ?? ''}`} />
        </Field>
        <Field
          label="Memory (MB)"
          optional
          error={touched.memoryMb ? brokenNumber('memory_mb', form.memoryMb) : undefined}
        >
          <TextInput
            {...register('memoryMb')}
            {...number}
            placeholder={`${template?.default_memory_mb ?? ''}`}
          />
        </Field>
      </div>
      <p className="mt-1.5 text-hint text-ink-3">
        Left empty, the VM has what its template has. It can be changed later.
      </p>
    </div>
  )
}
