import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import {
  type CallInput,
  type EndpointOf,
  formatCpu,
  formatMemory,
  TemplateCreate,
  templateCpuOptions,
  templateMemoryOptionsMb,
} from '@slipway/contract'
import { useEffect, useState } from 'react'
import { type Control, Controller, useForm, useWatch } from 'react-hook-form'
import { Link } from 'react-router'
import { ApiError } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { useCreateTemplate, useImageCheck } from '../../api/templates.ts'
import { paths } from '../../paths.ts'
import { CreateFoot } from '../../shell/CreateFoot.tsx'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { useLeadOn } from '../../shell/use-lead-on.ts'
import { Field, NameInput, TextArea, TextInput } from '../../ui/Field.tsx'
import { FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.tsx'
import { ExportActivity } from '../activity/ExportActivity.tsx'
import { AsText } from '../as-text/AsText.tsx'
import { TemplatePreview } from './TemplatePreview.tsx'
import { TemplateScriptField } from './TemplateScriptField.tsx'
import { bootAddressOf } from './template-image.ts'

type TemplateForm = CallInput<EndpointOf<'template.create'>>['body']

const toTemplatesMs = 2000
/** An address that nobody types on for so long is a whole one. */
const typedMs = 600

export function Component() {
  const create = useCreateTemplate()
  const { control, register, handleSubmit, setError, formState } = useForm<
    TemplateForm,
    unknown,
    TemplateCreate
  >({
    defaultValues: { name: '', description: '', image_url: '' },
    resolver: standardSchemaResolver(TemplateCreate),
    mode: 'onTouched',
  })
  const { errors, isDirty } = formState
  const shell = useFormShell({
    dirty: isDirty,
    send: (body: TemplateCreate, idempotencyKey) => create.mutateAsync({ body, idempotencyKey }),
    failureText: (error) => errorText(error, 'Failed to create template. Please try again.'),
  })
  // The list with the new template in it, a moment after the good news.
  useLeadOn(paths.templates, shell.done ? toTemplatesMs : null)
  const form = useWatch({ control })
  const filled = TemplateCreate.safeParse(form)
  const note = shell.done ? 'Taking you to the templates...' : filled.error?.issues[0]?.message
  const [imageUrl, settleNow] = useTypedAddress(form.image_url ?? '')
  const check = useImageCheck(bootAddressOf(imageUrl) ? imageUrl : null)

  const [toldByFields, setToldByFields] = useState(false)
  const submit = handleSubmit(
    (body) =>
      void shell.submit(body, {
        onSuccess: () => toast.success('Template created successfully!'),
        onFailure: (error) => {
          const found = fieldErrors(error)
          setToldByFields(found.length > 0)
          for (const [index, [name, message]] of found.entries())
            setError(name, { message }, { shouldFocus: index === 0 })
        },
      }),
  )

  return (
    <>
      <PageHeader
        title="Create Template"
        description="A template is offered to every user of this installation."
        breadcrumb={[
          { label: 'Templates', render: <Link to={paths.templates} /> },
          { label: 'Create Template' },
        ]}
        actions={
          <>
            <ExportActivity />
            <AsText
              call="template.create"
              project={null}
              named={[]}
              body={() => filled.data ?? {}}
              missing={filled.error?.issues[0]?.message}
            />
          </>
        }
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,760px)_340px]">
        <FormSheet label="Create Template" onSubmit={(event) => void submit(event)}>
          <FormSection title="Template">
            <Field label="Name" error={errors.name?.message}>
              <NameInput {...register('name')} required />
            </Field>
            <Field label="Description" error={errors.description?.message}>
              <TextArea {...register('description')} required maxLength={1000} dir="auto" />
            </Field>
            <Field
              label="Image URL"
              optional
              hint="A bootable disk image (.qcow2, .img, .raw or .iso), or a picture for the card."
              error={errors.image_url?.message ?? refusal(check.error)}
            >
              <TextInput
                {...register('image_url', { onBlur: settleNow })}
                type="url"
                autoComplete="off"
                spellCheck={false}
              />
            </Field>
          </FormSection>
          <FormSection title="Machine">
            <Field label="Default CPU" error={errors.default_cpu?.message}>
              <Choice control={control} name="default_cpu" options={templateCpuOptions} format={formatCpu} />
            </Field>
            <Field label="Default memory" error={errors.default_memory_mb?.message}>
              <Choice
                control={control}
                name="default_memory_mb"
                options={templateMemoryOptionsMb}
                format={formatMemory}
              />
            </Field>
          </FormSection>
          <FormSection title="First boot">
            <Controller
              control={control}
              name="start_script"
              render={({ field }) => (
                <TemplateScriptField
                  value={field.value ?? ''}
                  onChange={(script) => field.onChange(script === '' ? undefined : script)}
                  refusal={errors.start_script?.message}
                />
              )}
            />
          </FormSection>
          <CreateFoot
            label="Create Template"
            note={note}
            error={toldByFields ? undefined : shell.error}
            errorSaid={false}
            pending={shell.pending}
            cancelTo={paths.templates}
          />
        </FormSheet>
        <TemplatePreview
          name={form.name?.trim() ?? ''}
          description={form.description?.trim() ?? ''}
          cpu={form.default_cpu}
          memoryMb={form.default_memory_mb}
          imageUrl={imageUrl}
          hasStartScript={(form.start_script ?? '').trim() !== ''}
          check={check}
        />
      </div>
    </>
  )
}

/**
 * The address in a text, once it is typed: half an address is nobody's image. Null for none and for what is not one.
 * The second is for leaving the field.
 */
function useTypedAddress(text: string): [string | null, () => void] {
  const [typed, setTyped] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), typedMs)
    return () => clearTimeout(timer)
  }, [text])
  const { data } = TemplateCreate.shape.image_url.safeParse(typed)
  return [data ?? null, () => setTyped(text)]
}

const formFields = [
  'name',
  'description',
  'image_url',
  'default_cpu',
  'default_memory_mb',
  'start_script',
] as const

/** The sentences for single fields of the form, in its order. */
function fieldErrors(error: unknown): [(typeof formFields)[number], string][] {
  const fields = error instanceof ApiError ? error.fields : undefined
  return formFields.flatMap((name) => {
    const text = fields?.[name]
    return text ? [[name, text]] : []
  })
}

/** What the server has against a boot image. That it could not be asked is not for the field to say. */
function refusal(error: unknown): string | undefined {
  return error instanceof ApiError && error.status === 400 ? error.message : undefined
}

interface ChoiceProps {
  control: Control<TemplateForm, unknown, TemplateCreate>
  name: 'default_cpu' | 'default_memory_mb'
  options: readonly number[]
  format: (value: number) => string
}

/** One of the sizes a template may have. */
function Choice({ control, name, options, format }: ChoiceProps) {
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <Select
          value={field.value ? String(field.value) : null}
          onValueChange={(value) => field.onChange(Number(value))}
          options={options.map((value) => ({ value: String(value), label: format(value) }))}
        />
      )}
    />
  )
}
