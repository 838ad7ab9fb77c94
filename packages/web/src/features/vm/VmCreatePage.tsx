import { formatCpu, formatMemory, vmTexts } from '@slipway/contract'
import { useEffect, useRef } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { useDisks } from '../../api/disks.ts'
import { errorDetail } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { useTemplates } from '../../api/templates.ts'
import { useCreateVm } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { useDraft } from '../../shell/use-draft.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.tsx'
import { SshKeyField } from '../ssh-key/SshKeyField.tsx'
import { TemplateField } from '../template/TemplateField.tsx'
import { TemplatePanel } from '../template/TemplatePanel.tsx'
import { VmDiskRows } from './VmDiskRows.tsx'
import { emptyVmForm, firstBrokenRule, toBody, type VmForm } from './vm-form.ts'

/** `/create` and `/projects/:projectId/vms/create`: one form, the second with a fixed project. */
export function Component() {
  const fixedProject = useParams().projectId !== undefined
  const templateFromUrl = useSearchParams()[0].get('template') ?? ''
  const navigate = useNavigate()
  const { project, projects, loading: projectsLoading, select } = useSelectedProject()
  const { templates } = useTemplates()
  const { sshKeys } = useSshKeys()
  const { disks } = useDisks(project?.id)
  const create = useCreateVm()

  // With its project: disks are those of that one.
  const { draft, keepDraft } = useDraft<{ form: VmForm; projectId: string | undefined }>()
  const { control, register, handleSubmit, setValue, getValues } = useForm<VmForm>({
    defaultValues: draft?.form ?? { ...emptyVmForm, templateId: templateFromUrl },
  })
  const form = useWatch({ control }) as VmForm // all fields have default values

  // An unknown id, from the URL or from an old draft, is no choice.
  const template = templates.find(({ id }) => id === form.templateId)
  const sshKey = sshKeys.find(({ id }) => id === form.sshKeyId)

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
  const diskSizeGb = chosen.disks.reduce(
    (sum, { diskId }) => sum + (available.find(({ id }) => id === diskId)?.size_gb ?? 0),
    0,
  )
  const broken = firstBrokenRule(chosen, project?.id)

  const keep = () => keepDraft({ form: getValues(), projectId: project?.id })
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
        <FormSheet label="Create VM" onSubmit={(event) => void submit(event)}>
          <FormSection title="Machine">
            <Field label="Name">
              <TextInput {...register('name')} autoComplete="off" maxLength={100} dir="auto" />
            </Field>
            <Field
              label="Project"
              hint={
                !projectsLoading &&
                projects.length === 0 && (
                  <Link to={paths.onboarding} className="link">
                    Create your first project
                  </Link>
                )
              }
            >
              <Select
                value={project?.id ?? null}
                onValueChange={select}
                disabled={fixedProject}
                placeholder="Choose a project"
                options={projects.map(({ id, name }) => ({ value: id, label: name }))}
              />
            </Field>
            <Controller
              control={control}
              name="templateId"
              render={({ field }) => <TemplateField templateId={field.value} onChange={field.onChange} />}
            />
          </FormSection>
          <FormSection title="Access">
            <Controller
              control={control}
              name="sshKeyId"
              render={({ field }) => (
                <SshKeyField
                  sshKeyId={field.value}
                  onChange={field.onChange}
                  onLeave={keep}
                  hint="Password authentication is disabled on the VM. Access is by SSH key only."
                />
              )}
            />
          </FormSection>
          <FormSection title="Storage">
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
            <VmDiskRows
              control={control}
              values={chosen.disks}
              available={available}
              createLink={
                project && (
                  <Link to={paths.diskCreate(project.id)} className="link" onClick={keep}>
                    Create Disk
                  </Link>
                )
              }
            />
          </FormSection>
          <FormFoot note={broken?.text}>
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
          </FormFoot>
        </FormSheet>
        <TemplatePanel
          title="Template details"
          template={template}
          facts={[
            { label: 'CPU', value: template && formatCpu(template.default_cpu) },
            { label: 'RAM', value: template && formatMemory(template.default_memory_mb) },
            { label: 'Project', value: project?.name ?? 'None' },
            { label: 'Data disks', value: diskSizeGb > 0 ? `${diskSizeGb}Gi` : 'None' },
          ]}
        >
          Choose a template to see what the VM will be made of.
        </TemplatePanel>
      </div>
    </>
  )
}
