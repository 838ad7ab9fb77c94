import type { Disk } from '@slipway/contract'
import { ChevronDown, ChevronRight, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { type Control, Controller, useFieldArray } from 'react-hook-form'
import { Button, IconButton } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { diskRowMissing, type VmForm } from './vm-form.ts'

interface VmDiskRowsProps {
  control: Control<VmForm>
  /** The valid choices, row by row. */
  values: VmForm['disks']
  /** Disks that may be attached. */
  available: readonly Disk[]
  /** The way to a new disk. */
  createLink: ReactNode
}

/** Data disks to attach: a ruled accordion with one row open. A disk chosen in one row is not offered in others. */
export function VmDiskRows({ control, values, available, createLink }: VmDiskRowsProps) {
  const labelId = useId()
  const addButton = useRef<HTMLButtonElement>(null)
  const { fields, append, remove } = useFieldArray({ control, name: 'disks' })
  const [open, setOpen] = useState<number | null>(0)
  const [removing, setRemoving] = useState<number | null>(null)
  const chosenElsewhere = (row: number) =>
    new Set(values.flatMap(({ diskId }, i) => (i === row ? [] : [diskId])))

  const removeRow = () => {
    if (removing !== null) {
      remove(removing)
      // The open row stays open; where it goes itself, the first one opens.
      setOpen((row) => (row === removing ? 0 : row !== null && row > removing ? row - 1 : row))
    }
    setRemoving(null)
  }

  return (
    <div className="min-w-0">
      <div className="mb-1.5 flex items-baseline justify-between gap-3 text-dense">
        <p id={labelId} className="font-medium">
          Data disks
        </p>
        <span className="text-label text-ink-3">{countText(fields.length)}</span>
      </div>
      {fields.length > 0 && (
        <ul
          aria-labelledby={labelId}
          className="mb-2.5 divide-y divide-line-control rounded-control border border-line-control"
        >
          {fields.map((field, row) => {
            const disk = available.find(({ id }) => id === values[row]?.diskId)
            const isOpen = open === row
            const Chevron = isOpen ? ChevronDown : ChevronRight
            const taken = chosenElsewhere(row)
            return (
              <li key={field.id}>
                <div className="flex items-center pr-1.5">
                  <button
                    type="button"
                    aria-expanded={isOpen}
                    onClick={() => setOpen(isOpen ? null : row)}
                    className="flex h-10 min-w-0 flex-1 items-center gap-2.5 rounded-control px-3 text-left focus-visible:-outline-offset-2 phone:h-12"
                  >
                    <Chevron size={14} strokeWidth={1.6} aria-hidden className="flex-none text-ink-3" />
                    <span className="font-[550] whitespace-nowrap">Disk {row + 1}</span>
                    {!isOpen && (
                      <>
                        <span className="mono min-w-0 flex-1 truncate text-ink-2">{disk?.name}</span>
                        {disk ? (
                          <span className="text-ink-2">{disk.size}</span>
                        ) : (
                          <span className="text-hint text-bad">Needs a choice</span>
                        )}
                      </>
                    )}
                  </button>
                  <IconButton
                    size="sm"
                    label={`Remove disk ${row + 1}`}
                    icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
                    onClick={() => setRemoving(row)}
                  />
                </div>
                {isOpen && (
                  <div className="px-3 pt-0.5 pb-3.5 md:pl-9">
                    <Field label="Existing disk" error={disk ? undefined : diskRowMissing}>
                      <Controller
                        control={control}
                        name={`disks.${row}.diskId`}
                        render={({ field: choice }) => (
                          <Select
                            value={disk?.id ?? null}
                            onValueChange={choice.onChange}
                            placeholder="Choose an available disk"
                            options={available
                              .filter(({ id }) => !taken.has(id))
                              .map(({ id, name, size }) => ({ value: id, label: name, description: size }))}
                          />
                        )}
                      />
                    </Field>
                    {available.length === 0 && (
                      <p className="mt-1.5 text-hint text-ink-3">
                        This project has no available disk.{' '}
                        {createLink ? <>{createLink} first, or remove</> : 'Remove'} the row to create the VM
                        without one.
                      </p>
                    )}
                  </div>
                )}
              </li>
            )
          })}
        </ul>
      )}
      <Button
        ref={addButton}
        size="sm"
        icon={<Plus size={14} strokeWidth={1.6} aria-hidden />}
        className="phone:h-10"
        onClick={() => {
          append({ diskId: '' }, { shouldFocus: false })
          // An open row that still needs its choice stays open; the first one always opens.
          const unfinished = open !== null && values[open]?.diskId === ''
          if (!unfinished) setOpen(fields.length)
        }}
      >
        Add Disk
      </Button>
      <ConfirmDialog
        open={removing !== null}
        onOpenChange={() => setRemoving(null)}
        title="Remove disk"
        confirmLabel="Remove"
        busyLabel="Removing..."
        busy={false}
        onConfirm={removeRow}
        focusAfter={() => addButton.current}
      >
        Remove this disk?
      </ConfirmDialog>
    </div>
  )
}

function countText(count: number): string {
  if (count === 0) return 'None'
  return count === 1 ? '1 disk' : `${count} disks`
}
