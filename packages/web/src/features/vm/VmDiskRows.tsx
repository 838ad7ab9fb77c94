import type { Disk } from '@slipway/contract'
import type { ReactNode } from 'react'
import { type Control, Controller, useFieldArray } from 'react-hook-form'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { DiskRows } from '../disk/DiskRows.tsx'
import { diskRowMissing, type VmForm } from './vm-form.ts'

interface VmDiskRowsProps {
  control: Control<VmForm>
  /** The valid choices, row by row. */
  values: VmForm['disks']
  /** Disks that may be attached. */
  available: readonly Disk[]
  loading: boolean
  /** Why it is not known which there are. */
  error: Error | null
  retry: () => void
  /** The way to a new disk. */
  createLink: ReactNode
}

/** Data disks to attach. A disk chosen in one row is not offered in others. */
export function VmDiskRows({
  control,
  values,
  available,
  loading,
  error,
  retry,
  createLink,
}: VmDiskRowsProps) {
  const { fields, append, remove } = useFieldArray({ control, name: 'disks' })
  const chosenElsewhere = (row: number) =>
    new Set(values.flatMap(({ diskId }, i) => (i === row ? [] : [diskId])))

  return (
    <DiskRows
      label="Data disks"
      onAdd={() => append({ diskId: '' }, { shouldFocus: false })}
      onRemove={remove}
      rows={fields.map((field, row) => {
        const disk = available.find(({ id }) => id === values[row]?.diskId)
        const taken = chosenElsewhere(row)
        return {
          key: field.id,
          finished: disk !== undefined,
          summary: (
            <>
              <span className="mono min-w-0 flex-1 truncate text-ink-2">{disk?.name}</span>
              {disk ? (
                <span className="text-ink-2">{disk.size}</span>
              ) : (
                <span className="text-hint text-bad">Needs a choice</span>
              )}
            </>
          ),
          fields: (
            <>
              <Field label="Existing disk" error={disk ? undefined : diskRowMissing}>
                <Controller
                  control={control}
                  name={`disks.${row}.diskId`}
                  render={({ field: choice }) => (
                    <Select
                      value={disk?.id ?? null}
                      onValueChange={choice.onChange}
                      placeholder={loading ? 'Loading disks...' : 'Choose an available disk'}
                      options={available
                        .filter(({ id }) => !taken.has(id))
                        .map(({ id, name, size }) => ({ value: id, label: name, description: size }))}
                    />
                  )}
                />
              </Field>
              {error && !loading && (
                <p className="mt-1.5 text-hint text-bad">
                  Failed to load disks.{' '}
                  <button type="button" className="link" onClick={retry}>
                    Try Again
                  </button>
                </p>
              )}
              {available.length === 0 && !loading && !error && (
                <p className="mt-1.5 text-hint text-ink-3">
                  This project has no available disk.{' '}
                  {createLink ? <>{createLink} first, or remove</> : 'Remove'} the row to create the VM
                  without one.
                </p>
              )}
            </>
          ),
        }
      })}
    />
  )
}
