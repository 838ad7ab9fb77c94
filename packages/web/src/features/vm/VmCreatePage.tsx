import { formatCpu, formatMemory, quotaOfVms, type VmCreate, vmTexts } from '@slipway/contract'
import { useEffect, useRef } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { ApiError } from '../../api/client.ts'
import { useDisks } from '../../api/disks.ts'
import { errorDetail, fullErrorText } from '../../api/errors.ts'
import { useLimits } from '../../api/host.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { useTemplates } from '../../api/templates.ts'
import { useCreateVm } from '../../api/vm-lifetime.ts'
import { paths } from '../../paths.ts'
import { CreateFoot } from '../../shell/CreateFoot.tsx'
import { useDraft } from '../../shell/use-draft.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, NameInput, TextInput } from '../../ui/Field.tsx'
import { FormColumns, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.tsx'
import { AsText } from '../as-text/AsText.tsx'
import { comeBack } from '../project/come-back.ts'
import { QuotaNote } from '../quota/QuotaNote.tsx'
import { useQuotaCheck } from '../quota/use-quota-check.ts'
import { keyFor } from '../ssh-key/default-key.ts'
import { SshKeyField } from '../ssh-key/SshKeyField.tsx'
import { StartScriptField } from '../start-script/StartScriptField.tsx'
import { TemplateField } from '../template/TemplateField.tsx'
import { TemplatePanel } from '../template/TemplatePanel.tsx'
import { TemplateScriptNote } from '../template/TemplateScriptNote.tsx'
import { RootDiskField } from './RootDiskField.tsx'
import { brokenRootDisk, rootDiskBytes, rootDiskHint } from './root-disk.ts'
import { VmDiskRows } from './VmDiskRows.tsx'
import { VmSizeFields } from './VmSizeFields.tsx'
import { brokenPorts, brokenScript, emptyVmForm, firstBrokenRule, toBody, type VmForm } from './vm-form.ts'
import { brokenSize, sizeOf } from './vm-size.ts'

const failureText = 'Failed to create VM. Please try again.'

/** Why the server refused this start script; it knows more of templates and of YAML. */
const refusedScript = (error: unknown, sent: VmCreate | undefined, script: string): string | undefined =>
  error instanceof ApiError && sent?.start_script === script ? error.fields?.start_script : undefined

/** `/create` and `/projects/:projectId/vms/create`: one form, the second with a fixed project. */
export function Component() {
  const fixedProject = useParams().projectId !== undefined
  const templateFromUrl = useSearchParams()[0].get('template') ?? ''
  const navigate = useNavigate()
  const { project, projects, loading: projectsLoading, select } = useSelectedProject()
  const { templates } = useTemplates()
  const { sshKeys } = useSshKeys()
  const { disks, loading: disksLoading, error: disksError, refetch: loadDisks } = useDisks(project?.id)
  const create = useCreateVm()
  const { ports: portLimit } = useLimits()

  // With its project: disks are those of that one.
  const { draft, keepDraft } = useDraft<{ form: VmForm; projectId: string | undefined }>()
  const { control, register, setValue, getValues, formState } = useForm<VmForm>({
    defaultValues: { ...emptyVmForm, templateId: templateFromUrl, ...draft?.form },
  })
  const form = useWatch({ control }) as VmForm // all fields have default values

  // An unknown id, from the URL or from an old draft, is no choice.
  const template = templates.find(({ id }) => id === form.templateId)
  const templateGb = template?.image.root_disk_gb
  const sshKey = keyFor(sshKeys, form.sshKeyId)

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
    ports: portLimit === null ? form.ports : '',
  }
  const diskSizeGb = chosen.disks.reduce(
    (sum, { diskId }) => sum + (available.find(({ id }) => id === diskId)?.size_gb ?? 0),
    0,
  )
  const size = template && sizeOf(chosen, template)
  const broken = firstBrokenRule(chosen, project?.id)
  const quota = useQuotaCheck(project?.id, {
    ...quotaOfVms(1, {
      ...(size ?? { cpu: 1, memory_mb: 1 }),
      disk_bytes: rootDiskBytes(form.rootDisk, templateGb),
    }),
    shares: brokenPorts(chosen.ports) === undefined ? (toBody(chosen).share_ports?.length ?? 0) : 0,
  })

  const keep = () => keepDraft({ form: getValues(), projectId: project?.id })
  const shell = useFormShell({
    dirty: draft !== null || formState.isDirty,
    send: (input: { projectId: string; body: VmCreate }, idempotencyKey) =>
      create.mutateAsync({ ...input, idempotencyKey }),
    failureText: (error) => fullErrorText(failureText, error),
  })
  const submit = () => {
    if (shell.pending) return
    if (broken || quota.refusal || !project) {
      toast.error(quota.refusal ?? broken?.text ?? vmTexts.projectMissing)
      return
    }
    void shell.submit(
      { projectId: project.id, body: toBody(chosen) },
      {
        onSuccess: (vm, shown) => {
          toast.success(`VM "${vm.name}" created successfully with SSH key configured!`)
          if (shown) void navigate(paths.home)
        },
        onFailure: (error) => toast.error(failureText, { detail: errorDetail(error) }),
      },
    )
  }

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
        actions={
          <AsText
            call="vm.create"
            project={project}
            named={[...templates, ...sshKeys, ...disks]}
            body={() => toBody(chosen)}
            missing={broken?.text}
          />
        }
      />
      <FormColumns>
        <FormSheet label="Create VM" onSubmit={submit}>
          <QuotaNote left={quota.left} />
          <FormSection title="Machine">
            <Field label="Name">
              <NameInput {...register('name')} />
            </Field>
            <Field
              label="Project"
              hint={
                !projectsLoading &&
                projects.length === 0 && (
                  <Link to={paths.onboarding} state={comeBack} className="link" onClick={keep}>
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
            <VmSizeFields
              template={template}
              cpu={{
                ...register('cpu'),
                error: formState.touchedFields.cpu ? brokenSize('cpu', form.cpu) : undefined,
              }}
              memory={{
                ...register('memoryMb'),
                error: formState.touchedFields.memoryMb ? brokenSize('memory_mb', form.memoryMb) : undefined,
              }}
              hint="Left empty, the VM has what its template has. It can be changed later."
            />
          </FormSection>
          <FormSection title="Access">
            <Controller
              control={control}
              name="sshKeyId"
              render={({ field }) => (
                <SshKeyField
                  sshKey={sshKey}
                  onChange={field.onChange}
                  onLeave={keep}
                  hint="Password authentication is disabled on the VM. Access is by SSH key only."
                />
              )}
            />
            <Field
              label="Ports to share"
              optional
              hint={portLimit ?? 'Web pages on these ports can be opened by you, at an address of their own.'}
              error={formState.touchedFields.ports ? brokenPorts(chosen.ports) : undefined}
            >
              <TextInput
                {...register('ports')}
                placeholder="3000, 5173"
                autoComplete="off"
                disabled={portLimit !== null}
              />
            </Field>
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
            <RootDiskField
              {...register('rootDisk')}
              templateGb={templateGb}
              optional
              hint={rootDiskHint(templateGb, ' It can be enlarged later.')}
              error={formState.touchedFields.rootDisk ? brokenRootDisk(chosen.rootDisk) : undefined}
            />
            <VmDiskRows
              control={control}
              values={chosen.disks}
              available={available}
              loading={disksLoading}
              error={disksError}
              retry={() => void loadDisks()}
              createLink={
                project && (
                  <Link to={paths.diskCreate(project.id)} className="link" onClick={keep}>
                    Create Disk
                  </Link>
                )
              }
            />
          </FormSection>
          <FormSection title="First boot">
            <TemplateScriptNote template={template} isReplaced={form.startScript.trim() !== ''} />
            <Controller
              control={control}
              name="startScript"
              render={({ field }) => (
                <StartScriptField
                  value={field.value}
                  onChange={field.onChange}
                  error={
                    brokenScript(field.value) ??
                    refusedScript(create.error, create.variables?.body, field.value)
                  }
                />
              )}
            />
          </FormSection>
          <CreateFoot
            call="vm.create"
            projectId={project?.id}
            label="Create VM"
            note={quota.refusal ?? broken?.text}
            error={shell.error}
            pending={shell.pending}
            cancelTo={paths.home}
          />
        </FormSheet>
        <TemplatePanel
          title="Template details"
          template={template}
          facts={[
            { label: 'CPU', value: size && formatCpu(size.cpu) },
            { label: 'RAM', value: size && formatMemory(size.memory_mb) },
            { label: 'Project', value: project?.name ?? 'None' },
            { label: 'Data disks', value: diskSizeGb > 0 ? `${diskSizeGb}Gi` : 'None' },
          ]}
        >
          Select a template to see what the VM will contain.
        </TemplatePanel>
      </FormColumns>
    </>
  )
}
