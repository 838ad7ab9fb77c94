import { formatCpu, formatMemory, type Template, vmTexts } from '@slipway/contract'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router'
import { useDisks } from '../../api/disks.ts'
import { errorDetail } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { useTemplates } from '../../api/templates.ts'
import { useCreateVm } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Select } from '../../ui/Select.tsx'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { toast } from '../../ui/toast.tsx'
import { keygenCopy } from '../ssh-key/keygen.ts'
import { VmDiskRows } from './VmDiskRows.tsx'
import { dropDraft, readDraft, saveDraft } from './vm-draft.ts'
import { emptyVmForm, firstBrokenRule, toBody, type VmForm } from './vm-form.ts'

/** `/create` and `/projects/:projectId/vms/create`: one form, the second with a fixed project. */
export function Component() {
  const fixedProject = useParams().projectId !== undefined
  const templateFromUrl = useSearchParams()[0].get('template') ?? ''
  const navigate = useNavigate()
  const footId = useId()
  const { project, projects, select } = useSelectedProject()
  const { templates, loading: templatesLoading } = useTemplates()
  const { sshKeys } = useSshKeys()
  const { disks } = useDisks(project?.id)
  const create = useCreateVm()

  // The page a tab begins with has no key of its own, but its address.
  const { key, pathname, search } = useLocation()
  const visit = `${pathname}${search} ${key}`
  const [draft] = useState(() => readDraft(visit))
  useEffect(dropDraft, [])
  const { control, register, handleSubmit, setValue, getValues } = useForm<VmForm>({
    defaultValues: draft?.form ?? { ...emptyVmForm, templateId: templateFromUrl },
  })
  const form = useWatch({ control }) as VmForm // all fields have default values

  // An unknown id, from the URL or from an old draft, is no choice.
  const template = templates.find(({ id }) => id === form.templateId)
  const sshKey = sshKeys.find(({ id }) => id === form.sshKeyId)
  useEffect(() => {
    const first = sshKeys[0]
    if (first && !sshKey) setValue('sshKeyId', first.id)
  }, [sshKeys, sshKey, setValue])

  const available = disks.filter(({ status }) => status.toLowerCase() === 'available')
  // Disks belong to a project: with another one the chosen ones mean nothing.
  const disksOf = useRef(draft?.projectId)
  useEffect(() => {
    if (!project || disksOf.current === project.id) return
    if (disksOf.current !== undefined) setValue('disks', [])
    disksOf.current = project.id
  }, [project, setValue])

  const chosen: VmForm = {
    ...form,
    templateId: template?.id ?? '',
    sshKeyId: sshKey?.id ?? '',
    disks: form.disks.map(({ diskId }) => ({
      diskId: available.some(({ id }) => id === diskId) ? diskId : '',
    })),
  }
  const broken = firstBrokenRule(chosen, project?.id)

  const submit = handleSubmit(() => {
    if (create.isPending) return
    if (broken || !project) {
      toast.error(broken?.text ?? vmTexts.projectMissing)
      return
    }
    create
      .mutateAsync(
        { projectId: project.id, body: toBody(chosen) },
        // Only while the form is shown; what came of it is told in any case.
        { onSuccess: () => void navigate(paths.home) },
      )
      .then(
        (vm) => toast.success(`VM "${vm.name}" created successfully with SSH key configured!`),
        (error) => toast.error('Failed to create VM. Please try again.', { detail: errorDetail(error) }),
      )
  })

  return (
    <>
      <PageHeader
        title="Create VM"
        breadcrumb={[
          ...(project
            ? [{ label: 'Virtual Machines', render: <Link to={paths.vms(project.id)} /> }]
            : [{ label: 'Projects', render: <Link to={paths.projects} /> }]),
          { label: 'Create VM' },
        ]}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,760px)_300px]">
        <form
          aria-label="Create VM"
          className="sheet"
          noValidate
          onSubmit={(event) => void submit(event)}
          onKeyDown={(event) => {
            // Also while the button is disabled: then the broken rule is said.
            if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
            event.preventDefault()
            event.currentTarget.requestSubmit()
          }}
        >
          <Section title="Machine">
            <Field label="Name">
              <TextInput {...register('name')} autoComplete="off" maxLength={100} dir="auto" />
            </Field>
            <Field label="Project">
              <Select
                value={project?.id ?? null}
                onValueChange={select}
                disabled={fixedProject}
                placeholder="Choose a project"
                options={projects.map(({ id, name }) => ({ value: id, label: name }))}
              />
            </Field>
            <Field label="Template">
              <Controller
                control={control}
                name="templateId"
                render={({ field }) => (
                  <Select
                    value={template?.id ?? null}
                    onValueChange={field.onChange}
                    placeholder={templatesLoading ? 'Loading templates...' : 'Choose a template'}
                    options={templates.map(({ id, name, default_cpu, default_memory_mb }) => ({
                      value: id,
                      label: name,
                      description: `${formatCpu(default_cpu)}, ${formatMemory(default_memory_mb)}`,
                      icon: <TemplatePlate templateId={id} size={16} />,
                    }))}
                  />
                )}
              />
            </Field>
          </Section>
          <Section title="Access">
            <Field
              label="SSH Key"
              aside={
                <Link
                  to={paths.sshKeys}
                  className="link"
                  onClick={() => saveDraft({ form: getValues(), projectId: project?.id, visit })}
                >
                  Manage SSH Keys
                </Link>
              }
              hint="Password authentication is disabled on the VM. Access is by SSH key only."
            >
              <Controller
                control={control}
                name="sshKeyId"
                render={({ field }) => (
                  <Select
                    value={sshKey?.id ?? null}
                    onValueChange={field.onChange}
                    placeholder={sshKeys.length > 0 ? 'Choose an SSH key' : 'No SSH keys yet'}
                    disabled={sshKeys.length === 0}
                    options={sshKeys.map(({ id, name, fingerprint }) => ({
                      value: id,
                      label: name,
                      description: fingerprint,
                    }))}
                  />
                )}
              />
            </Field>
            <div className="min-w-0">
              <p className="mb-1.5 text-dense font-medium">No key yet?</p>
              <CodeLine {...keygenCopy} />
              <p className="mt-1.5 text-hint text-ink-3">
                Run this on your computer, then add the public key under Manage SSH Keys.
              </p>
            </div>
          </Section>
          <Section title="Storage">
            <Controller
              control={control}
              name="persistent"
              render={({ field }) => (
                <Checkbox
                  label="Persistent storage"
                  description="The root disk keeps its data when the VM stops or restarts."
                  checked={field.value}
                  onCheckedChange={field.onChange}
                />
              )}
            />
            {!form.persistent && (
              <Banner tone="warn">
                Persistent storage is off. All data on the root disk is lost when the VM stops or restarts.
              </Banner>
            )}
            <VmDiskRows control={control} values={chosen.disks} available={available} />
          </Section>
          <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line bg-sheet px-4 py-3 md:rounded-b-sheet md:px-5 phone:sticky phone:bottom-0 phone:[&_a]:h-11 phone:[&_a]:flex-1 phone:[&_button]:h-11 phone:[&_button]:flex-1">
            <p id={footId} role="status" className="min-w-0 flex-1 text-ink-3 phone:flex-[1_0_100%]">
              {broken?.text}
            </p>
            <Button render={<Link to={paths.home} />}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              busy={create.isPending}
              busyText="Creating..."
              disabledReason={broken?.text}
            >
              Create VM
            </Button>
          </div>
        </form>
        <TemplateDetails
          template={template}
          projectName={project?.name}
          diskSizeGb={chosen.disks.reduce(
            (sum, { diskId }) => sum + (available.find(({ id }) => id === diskId)?.size_gb ?? 0),
            0,
          )}
        />
      </div>
    </>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0 border-line px-4 py-4.5 not-first:border-t md:grid md:grid-cols-[132px_minmax(0,1fr)] md:px-5">
      <legend className="float-left mb-3 w-full text-section md:mb-0">{title}</legend>
      <div className="clear-both grid min-w-0 gap-4 md:clear-none">{children}</div>
    </fieldset>
  )
}

interface TemplateDetailsProps {
  template: Template | undefined
  projectName: string | undefined
  diskSizeGb: number
}

/** What the VM will be made of. */
function TemplateDetails({ template, projectName, diskSizeGb }: TemplateDetailsProps) {
  return (
    <Sheet title="Template details" className="lg:sticky lg:top-6.5">
      {template ? (
        <>
          <div className="flex gap-3.5 px-4 pt-3.5 pb-4 text-hint text-ink-2">
            <TemplatePlate templateId={template.id} size={40} />
            <div className="min-w-0 wrap-anywhere">
              <p className="text-section text-ink">
                <bdi>{template.name}</bdi>
              </p>
              <p>
                <bdi>{template.description}</bdi>
              </p>
            </div>
          </div>
          <Cells
            columns={2}
            className="border-t border-line"
            items={[
              { label: 'CPU', value: formatCpu(template.default_cpu) },
              { label: 'RAM', value: formatMemory(template.default_memory_mb) },
              { label: 'Project', value: projectName ?? 'None' },
              { label: 'Data disks', value: diskSizeGb > 0 ? `${diskSizeGb}Gi` : 'None' },
            ]}
          />
        </>
      ) : (
        <p className="px-4 py-3.5 text-hint text-ink-3">
          Choose a template to see what the VM will be made of.
        </p>
      )}
    </Sheet>
  )
}
