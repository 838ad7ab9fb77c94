import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { type CallInput, type EndpointOf, type Project, ProjectCreate, projectTexts } from '@slipway/contract'
import { useForm } from 'react-hook-form'
import { errorText } from '../../api/errors.ts'
import { useCreateProject } from '../../api/projects.ts'
import { FootStart } from '../../shell/FootStart.tsx'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Field, TextArea, TextInput } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { AsText } from '../as-text/AsText.tsx'

interface ProjectFormProps {
  /** The new project is selected by then. */
  onCreated?: (project: Project) => void
  autoFocus?: boolean
  /** Rules the foot off from the fields, as in a sheet. */
  inSheet?: boolean
}

/** Creates a project. The same form at the first visit, in the dialogs and on its own page. */
export function ProjectForm({ onCreated, autoFocus = false, inSheet = false }: ProjectFormProps) {
  const create = useCreateProject()
  const { register, handleSubmit, reset, watch, formState } = useForm<
    CallInput<EndpointOf<'project.create'>>['body'],
    unknown,
    ProjectCreate
  >({
    defaultValues: { name: '', description: '' },
    resolver: standardSchemaResolver(ProjectCreate),
  })
  const { errors, isDirty } = formState
  const shell = useFormShell({
    dirty: isDirty,
    send: (body: ProjectCreate, idempotencyKey) => create.mutateAsync({ body, idempotencyKey }),
    failureText: (error) => errorText(error, 'Failed to create project'),
  })
  const typed = ProjectCreate.safeParse(watch())
  const blank = watch('name').trim() === ''

  const submit = handleSubmit(
    (body) =>
      void shell.submit(body, {
        onSuccess: (project, shown) => {
          if (!shown) return
          reset()
          onCreated?.(project)
        },
      }),
    // What went wrong before is over when something else is wrong now.
    shell.reset,
  )

  return (
    <Form onSubmit={(event) => void submit(event)}>
      <div className={cx('grid gap-4', inSheet && 'p-4 md:p-5')}>
        <Field label="Project Name" error={errors.name?.message}>
          <TextInput {...register('name')} autoFocus={autoFocus} autoComplete="off" dir="auto" />
        </Field>
        <Field label="Description" optional error={errors.description?.message}>
          <TextArea {...register('description')} rows={2} dir="auto" />
        </Field>
        {shell.error && <Banner tone="error">{shell.error}</Banner>}
      </div>
      <div
        className={cx(
          'flex flex-wrap items-center justify-end gap-2 phone:[&_button]:h-[42px] phone:[&_button]:flex-1',
          inSheet ? 'border-t border-line px-4 py-3 md:px-5' : 'mt-4',
        )}
      >
        <FootStart
          note={blank && !errors.name ? projectTexts.nameMissing : undefined}
          asText={
            <AsText
              call="project.create"
              project={null}
              named={[]}
              body={() => typed.data ?? {}}
              missing={typed.error?.issues[0]?.message}
            />
          }
        />
        <Button
          type="submit"
          variant="primary"
          busy={shell.pending}
          busyText="Creating..."
          disabledReason={blank ? projectTexts.nameMissing : undefined}
        >
          Create Project
        </Button>
      </div>
    </Form>
  )
}
