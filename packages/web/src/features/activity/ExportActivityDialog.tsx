import { fillPath, routeOf } from '@slipway/contract'
import { apiBase } from '../../api/client.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useFields } from '../../shell/use-fields.ts'
import { Field, TextInput } from '../../ui/Field.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { type ExportForm, exportQuery } from './activity-export.ts'

const formats = [
  { value: 'ndjson', label: 'JSON lines', description: 'One JSON object a line, for programs.' },
  { value: 'csv', label: 'CSV', description: 'A table, for spreadsheets.' },
] as const

/** Which days, and as what. The browser shows how the download goes on. */
export function ExportActivityDialog({ onClose }: { onClose: () => void }) {
  const { form, change } = useFields<ExportForm>({ from: '', until: '', format: 'ndjson' })
  const query = exportQuery(form)
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="Export Activity"
      description="What everybody did and what came of it, oldest first. Leave the days empty for all of it."
      submit={{ label: 'Export', busyText: 'Exporting...' }}
      pending={false}
      note={typeof query === 'string' ? query : undefined}
      onSubmit={() => {
        if (typeof query === 'string') return
        download(
          `${apiBase}${fillPath(routeOf('activity.export').path)}?${new URLSearchParams({ ...query })}`,
        )
        onClose()
      }}
    >
      <div className="grid grid-cols-2 gap-4">
        <Field label="From" optional>
          <TextInput
            type="date"
            value={form.from}
            onChange={({ target }) => change({ from: target.value })}
          />
        </Field>
        <Field label="Until" optional>
          <TextInput
            type="date"
            value={form.until}
            onChange={({ target }) => change({ until: target.value })}
          />
        </Field>
      </div>
      <RadioGroup
        label="Format"
        value={form.format}
        onValueChange={(format) => change({ format })}
        options={formats}
      />
    </FormDialog>
  )
}

/** Under the name that the server gives the file. */
function download(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}
