import { disksPerVm, groupDiskNameLimit } from '@slipway/contract'
import { useFieldArray, useFormContext } from 'react-hook-form'
import { Field, TextInput } from '../../ui/Field.tsx'
import { DiskRows } from '../disk/DiskRows.tsx'
import { sizeText } from '../disk/size-text.ts'
import { type DiskDraft, diskComplaints, type GroupForm, newDiskDraft } from './group-form.ts'

/** The disks that every VM of the group gets for itself. */
export function GroupDiskFields({ label, disks }: { label: string; disks: readonly DiskDraft[] }) {
  const { control } = useFormContext<GroupForm>()
  const { fields, append, remove } = useFieldArray({ control, name: 'disks' })
  const first = disks[0]?.name.trim() ?? ''
  // A long one would hide what the sentence says.
  const example = first !== '' && first.length <= 24 ? first : 'data'

  return (
    <DiskRows
      label={label}
      hint={
        <>
          Each VM gets its own empty disks: <bdi>{example}-1</bdi> for the first VM, <bdi>{example}-2</bdi>{' '}
          for the second. The disks are deleted with their VM unless you detach them first.
        </>
      }
      onAdd={() => append(newDiskDraft)}
      onRemove={remove}
      fullReason={fields.length >= disksPerVm ? `A VM takes at most ${disksPerVm} disks` : undefined}
      rows={fields.map((field, row) => {
        const disk = disks[row] ?? newDiskDraft
        const { name, size } = diskComplaints(disk)
        return {
          key: field.id,
          finished: !name && !size,
          summary: (
            <>
              <bdi className="mono min-w-0 flex-1 truncate text-ink-2">{disk.name}</bdi>
              {(name ?? size) ? (
                <span className="text-hint text-bad">{name ? 'Needs a name' : 'Needs a size'}</span>
              ) : (
                <span className="text-ink-2">{sizeText(disk.size)}</span>
              )}
            </>
          ),
          fields: <DiskFields row={row} complaints={{ name, size }} />,
        }
      })}
    />
  )
}

interface DiskFieldsProps {
  row: number
  complaints: ReturnType<typeof diskComplaints>
}

/** The name of a fresh row is missed once somebody was there or sent the form. */
function DiskFields({ row, complaints }: DiskFieldsProps) {
  const { register, getFieldState, formState } = useFormContext<GroupForm>()
  const { isTouched } = getFieldState(`disks.${row}.name`, formState)
  return (
    <div className="grid items-start gap-4 sm:grid-cols-[minmax(0,1fr)_180px]">
      <Field label="Disk name" error={isTouched || formState.isSubmitted ? complaints.name : undefined}>
        <TextInput
          {...register(`disks.${row}.name`)}
          autoComplete="off"
          maxLength={groupDiskNameLimit}
          dir="auto"
        />
      </Field>
      <Field label="Disk size" error={complaints.size} hint="Such as 10Gi, 20GB or 512MB.">
        <TextInput {...register(`disks.${row}.size`)} autoComplete="off" maxLength={40} />
      </Field>
    </div>
  )
}
