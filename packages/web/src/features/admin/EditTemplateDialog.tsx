import {
  type CatalogueTemplate,
  formatCpu,
  formatMemory,
  TemplateCreate,
  templateCpuOptions,
  templateMemoryOptionsMb,
} from '@slipway/contract'
import { useUpdateTemplate } from '../../api/admin.ts'
import { ApiError } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { useTemplateStartScript } from '../../api/templates.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { useFields } from '../../shell/use-fields.ts'
import { Field, NameInput, TextArea, TextInput } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TemplateScriptField } from '../template/TemplateScriptField.tsx'

/** Changes a template for what is created from now on. */
export function EditTemplateDialog({
  template,
  onClose,
}: {
  template: CatalogueTemplate
  onClose: () => void
}) {
  const { mutateAsync, error: refused, variables: sent } = useUpdateTemplate(template.id)
  const script = useTemplateStartScript(template.id, template.has_start_script)
  const scriptBefore = script.data?.script ?? ''
  const { form, change, dirty } = useFields({
    name: template.name,
    description: template.description,
    image_url: template.image_url ?? '',
    default_cpu: template.default_cpu,
    default_memory_mb: template.default_memory_mb,
    start_script: scriptBefore,
  })
  const scriptOf = ({ start_script }: Pick<TemplateCreate, 'start_script'>): string =>
    start_script === undefined ? scriptBefore : (start_script ?? '')
  const parsed = TemplateCreate.safeParse({
    ...form,
    // Absent, it stays, also when it could not be loaded.
    start_script: form.start_script === scriptBefore ? undefined : form.start_script || null,
  })
  const note = parsed.success ? (dirty ? undefined : 'Nothing has changed.') : parsed.error.issues[0]?.message
  const { submit, dialog } = useDialogForm({
    dirty,
    send: (body: TemplateCreate) => mutateAsync(body),
    done: ({ name }) => `Template "${name}" was changed`,
    failed: 'Failed to change the template.',
    onClose,
  })
  return (
    <FormDialog
      {...dialog}
      title="Edit template"
      description="VMs, pools and sets that exist keep what they have."
      submit={{ label: 'Save', busyText: 'Saving...' }}
      onSubmit={() => {
        if (parsed.success && dirty) submit(parsed.data)
      }}
      note={note}
    >
      <Field label="Name">
        <NameInput value={form.name} onChange={({ target }) => change({ name: target.value })} />
      </Field>
      <Field label="Description">
        <TextArea
          value={form.description}
          onChange={({ target }) => change({ description: target.value })}
          maxLength={1000}
          dir="auto"
        />
      </Field>
      <Field label="Image URL" optional>
        <TextInput
          value={form.image_url}
          onChange={({ target }) => change({ image_url: target.value })}
          type="url"
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Default CPU">
          <Select
            value={String(form.default_cpu)}
            onValueChange={(value) => change({ default_cpu: Number(value) })}
            options={templateCpuOptions.map((value) => ({ value: String(value), label: formatCpu(value) }))}
          />
        </Field>
        <Field label="Default memory">
          <Select
            value={String(form.default_memory_mb)}
            onValueChange={(value) => change({ default_memory_mb: Number(value) })}
            options={templateMemoryOptionsMb.map((value) => ({
              value: String(value),
              label: formatMemory(value),
            }))}
          />
        </Field>
      </div>
      {template.has_start_script && !script.data ? (
        <p className="text-hint text-ink-2">
          {script.error
            ? errorText(script.error, 'The start script could not be loaded. It stays as it is.')
            : 'Loading the start script...'}
        </p>
      ) : (
        <TemplateScriptField
          value={form.start_script}
          onChange={(start_script) => change({ start_script })}
          refusal={
            refused instanceof ApiError && sent && scriptOf(sent) === form.start_script
              ? refused.fields?.start_script
              : undefined
          }
        />
      )}
    </FormDialog>
  )
}
