import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import {
  type CallInput,
  type EndpointOf,
  formatCpu,
  formatMemory,
  isWebAddress,
  TemplateCreate,
  templateCpuOptions,
  templateMemoryOptionsMb,
} from '@slipway/contract'
import { useState } from 'react'
import { type Control, Controller, useForm, useWatch } from 'react-hook-form'
import { Link } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { useCreateTemplate } from '../../api/templates.ts'
import { paths } from '../../paths.ts'
import { useLeadOn } from '../../shell/use-lead-on.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, TextArea, TextInput } from '../../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.tsx'
import { TemplatePanel } from './TemplatePanel.tsx'

type TemplateForm = CallInput<EndpointOf<'template.create'>>['body']

const toTemplatesMs = 2000

export function Component() {
  const create = useCreateTemplate()
  // The list with the new template in it, a moment after the good news.
  useLeadOn(paths.templates, create.isSuccess ? toTemplatesMs : null)
  const { control, register, handleSubmit, formState } = useForm<TemplateForm, unknown, TemplateCreate>({
    defaultValues: { name: '', description: '', image_url: '' },
    resolver: standardSchemaResolver(TemplateCreate),
    mode: 'onTouched',
  })
  const { errors } = formState
  const form = useWatch({ control })
  const note = create.isSuccess
    ? 'Taking you to the templates...'
    : TemplateCreate.safeParse(form).error?.issues[0]?.message
  const [pictureUrl, setPictureUrl] = useState<string | null>(null)

  const submit = handleSubmit((body) => {
    if (create.isPending || create.isSuccess) return
    create.mutate(body, { onSuccess: () => toast.success('Template created successfully!') })
  })
  // Not while it is typed: half an address is nobody's picture.
  const showPicture = () => {
    const url = form.image_url?.trim() ?? ''
    setPictureUrl(isWebAddress(url) ? url : null)
  }

  return (
    <>
      <PageHeader
        title="Create Template"
        description="A template is offered to every user. Its VMs boot the built-in Linux."
        breadcrumb={[
          { label: 'Templates', render: <Link to={paths.templates} /> },
          { label: 'Create Template' },
        ]}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,760px)_300px]">
        <FormSheet label="Create Template" onSubmit={(event) => void submit(event)}>
          <FormSection title="Template">
            <Field label="Name" error={errors.name?.message}>
              <TextInput {...register('name')} required autoComplete="off" maxLength={100} dir="auto" />
            </Field>
            <Field label="Description" error={errors.description?.message}>
              <TextArea {...register('description')} required maxLength={1000} dir="auto" />
            </Field>
            <Field
              label="Image URL"
              optional
              hint="The address of a picture for the card, such as https://example.org/rust.svg."
              error={errors.image_url?.message}
            >
              <TextInput
                {...register('image_url', { onBlur: showPicture })}
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
          <FormFoot
            note={note}
            error={
              create.isError
                ? errorText(create.error, 'Failed to create template. Please try again.')
                : undefined
            }
          >
            <Button render={<Link to={paths.templates} />}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              busy={create.isPending}
              busyText="Creating..."
              disabledReason={note}
            >
              Create Template
            </Button>
          </FormFoot>
        </FormSheet>
        <TemplatePanel
          title="Preview"
          template={
            form.name?.trim()
              ? { id: '', name: form.name, description: form.description ?? '', image_url: pictureUrl }
              : undefined
          }
          facts={[
            { label: 'CPU', value: form.default_cpu ? formatCpu(form.default_cpu) : 'Not chosen' },
            {
              label: 'Memory',
              value: form.default_memory_mb ? formatMemory(form.default_memory_mb) : 'Not chosen',
            },
          ]}
        >
          Give the template a name to see what users will.
        </TemplatePanel>
      </div>
    </>
  )
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
