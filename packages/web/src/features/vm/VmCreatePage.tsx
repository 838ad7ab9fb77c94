import { formatCpu, formatMemory, vmTexts } from '@slipway/contract'
import { Controller } from 'react-hook-form'
import { Link, useNavigate, useParams } from 'react-router'
import { errorDetail } from '../../api/errors.ts'
import { paths } from '../../paths.ts'
import { CreateFoot } from '../../shell/CreateFoot.tsx'
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
import { SshKeyField } from '../ssh-key/SshKeyField.tsx'
import { StartScriptField } from '../start-script/StartScriptField.tsx'
import { TemplateField } from '../template/TemplateField.tsx'
import { TemplatePanel } from '../template/TemplatePanel.tsx'
import { TemplateScriptNote } from '../template/TemplateScriptNote.tsx'
import { RootDiskField } from './RootDiskField.tsx'
import { brokenRootDisk, rootDiskHint } from './root-disk.ts'
import { useVmForm } from './use-vm-form.ts'
import { VmDiskRows } from './VmDiskRows.tsx'
import { VmSizeFields } from './VmSizeFields.tsx'
import { brokenPorts, brokenScript } from './vm-form.ts'
import { brokenSize } from './vm-size.ts'

const failureText = 'Failed to create VM. Please try again.'

/** `/create` and `/projects/:projectId/vms/create`: one form, the second with a fixed project. */
export function Component() {
  const fixedProject = useParams().projectId !== undefined
  const navigate = useNavigate()
  const filled = useVmForm(failureText)
  const { control, register, touched, form, project, projects, template, sshKey, size, disks } = filled
  const { portLimit, broken, quota, keep } = filled
  const templateGb = template?.image.root_disk_gb
  const diskSizeGb = form.disks.reduce(
    (sum, { diskId }) => sum + (disks.available.find(({ id }) => id === diskId)?.size_gb ?? 0),
    0,
  )

  const submit = () => {
    if (filled.pending) return
    if (broken || quota.refusal || !project) {
      toast.error(quota.refusal ?? broken?.text ?? vmTexts.projectMissing)
      return
    }
    void filled.send(project.id, {
      onSuccess: ({ name }, shown) => {
        toast.success(`VM "${name}" created successfully with SSH key configured!`)
        if (shown) void navigate(paths.home)
      },
      onFailure: (error) => toast.error(failureText, { detail: errorDetail(error) }),
    })
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
            named={filled.named}
            body={filled.body}
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
                !filled.projectsLoading &&
                projects.length === 0 && (
                  <Link to={paths.onboarding} state={comeBack} className="link" onClick={keep}>
                    Create your first project
                  </Link>
                )
              }
            >
              <Select
                value={project?.id ?? null}
                onValueChange={filled.selectProject}
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
                error: touched.cpu ? brokenSize('cpu', form.cpu) : undefined,
              }}
              memory={{
                ...register('memoryMb'),
                error: touched.memoryMb ? brokenSize('memory_mb', form.memoryMb) : undefined,
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
              error={touched.ports ? brokenPorts(form.ports) : undefined}
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
              error={touched.rootDisk ? brokenRootDisk(form.rootDisk) : undefined}
            />
            <VmDiskRows
              control={control}
              values={form.disks}
              available={disks.available}
              loading={disks.loading}
              error={disks.error}
              retry={() => void disks.refetch()}
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
                  error={brokenScript(field.value) ?? filled.scriptRefusal}
                />
              )}
            />
          </FormSection>
          <CreateFoot
            call="vm.create"
            projectId={project?.id}
            label="Create VM"
            note={quota.refusal ?? broken?.text}
            error={filled.error}
            pending={filled.pending}
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
