import { fillPath, routeOf } from '@slipway/contract'
import { apiBase } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useFields } from '../../shell/use-fields.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Field, TextInput } from '../../ui/Field.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { type ExportForm, type ExportQuery, exportQuery } from './activity-export.ts'

const formats = [
  { value: 'ndjson', label: 'JSON lines', description: 'One JSON object a line, for programs.' },
  { value: 'csv', label: 'CSV', description: 'A table, for spreadsheets.' },
] as const

/** Which days, and as what. The browser shows how the download goes on. */
export function ExportActivityDialog({ onClose }: { onClose: () => void }) {
  const { form, change } = useFields<ExportForm>({ from: '', until: '', format: 'ndjson' })
  const query = exportQuery(form)
  const shell = useFormShell({
    // It is quickly chosen again.
    dirty: false,
    send: async (chosen: ExportQuery) => download(chosen),
    failureText: (error) => errorText(error, 'Failed to export the activity. Please try again.'),
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="Export Activity"
      description="What everybody did and what came of it, oldest first. Leave the days empty for all of it."
      submit={{ label: 'Export', busyText: 'Exporting...' }}
      pending={shell.pending}
      error={shell.error}
      note={typeof query === 'string' ? query : undefined}
      onSubmit={() => {
        if (typeof query !== 'string') void shell.submit(query, { onSuccess: () => onClose() })
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
function download(query: ExportQuery): void {
  const link = document.createElement('a')
  link.href = `${apiBase}${fillPath(routeOf('activity.export').path)}?${new URLSearchParams({ ...query })}`
  link.download = ''
  link.click()
}
