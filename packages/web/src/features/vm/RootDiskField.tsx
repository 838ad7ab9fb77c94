import type { ComponentPropsWithRef } from 'react'
import { Field, TextInput } from '../../ui/Field.tsx'

interface RootDiskFieldProps extends ComponentPropsWithRef<'input'> {
  /** What root disks have that are as the template makes them; unknown before its image is there. */
  templateGb: number | null | undefined
  hint: string
  error?: string | undefined
  optional?: boolean
}

/** How large a root disk is to be, as text such as `30`. */
export function RootDiskField({ templateGb, hint, error, optional = false, ...input }: RootDiskFieldProps) {
  return (
    <Field label="Root disk (GB)" optional={optional} hint={hint} error={error}>
      <TextInput
        {...input}
        placeholder={`${templateGb ?? ''}`}
        autoComplete="off"
        inputMode="numeric"
        maxLength={40}
        className="max-w-50"
      />
    </Field>
  )
}
