import { Field, TextInput } from '../../ui/Field.tsx'
import { type DiskForm, type DiskFormField, diskNameFor } from './disk-form.ts'

interface FileFieldsProps {
  form: DiskForm
  onChange: (part: Partial<DiskForm>) => void
  broken: { field: DiskFormField; text: string } | null
}

/** The file that a disk is made from, and what it has to be. */
export function FileFields({ form, onChange, broken }: FileFieldsProps) {
  return (
    <>
      <Field
        label="File"
        hint="A qcow2, raw, VMDK or ISO image. The upload starts when you create the disk."
        error={form.file && broken?.field === 'file_bytes' ? broken.text : undefined}
      >
        <TextInput
          type="file"
          className="pt-1 pl-1! file:mr-2.5 file:h-6.5 file:cursor-pointer file:rounded-check file:border file:border-line-control file:bg-sheet file:px-2 file:text-hint file:font-medium file:text-ink phone:file:h-8.5"
          onChange={({ target }) => {
            const file = target.files?.[0] ?? null
            const name = file && form.name.trim() === '' ? { name: diskNameFor(file.name) } : {}
            onChange({ file, ...name })
          }}
        />
      </Field>
      <Field
        label="SHA-256"
        optional
        hint="The checksum that is published with the image. The disk is created only if the file has it."
        error={form.sha256.trim() !== '' && broken?.field === 'sha256' ? broken.text : undefined}
      >
        <TextInput
          value={form.sha256}
          onChange={(event) => onChange({ sha256: event.target.value })}
          autoComplete="off"
          spellCheck={false}
          maxLength={80}
          className="mono"
        />
      </Field>
    </>
  )
}
