import type { ProjectEndpointId, SshKey, Template } from '@slipway/contract'
import { type ReactNode, useState } from 'react'
import { Controller, useFormContext } from 'react-hook-form'
import { Link, useNavigate } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { CreateFoot } from '../../shell/CreateFoot.tsx'
import { Banner } from '../../ui/Banner.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { AlertDialog } from '../../ui/Dialog.tsx'
import { Field, NameInput, TextArea } from '../../ui/Field.tsx'
import { FormColumns, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { toast } from '../../ui/toast.tsx'
import { AsText, type AsTextProps } from '../as-text/AsText.tsx'
import { QuotaNote } from '../quota/QuotaNote.tsx'
import type { useQuotaCheck } from '../quota/use-quota-check.ts'
import { SshKeyField } from '../ssh-key/SshKeyField.tsx'
import { StartScriptField } from '../start-script/StartScriptField.tsx'
import { TemplateField } from '../template/TemplateField.tsx'
import { TemplateScriptNote } from '../template/TemplateScriptNote.tsx'
import { RootDiskField } from '../vm/RootDiskField.tsx'
import { rootDiskHint } from '../vm/root-disk.ts'
import { VmSizeFields } from '../vm/VmSizeFields.tsx'
import type { VmSize } from '../vm/vm-size.ts'
import { GroupDiskFields } from './GroupDiskFields.tsx'
import { GroupPanel } from './GroupPanel.tsx'
import { GroupSnapshotNote } from './GroupSnapshotNote.tsx'
import type { BrokenRule, GroupField, GroupForm } from './group-form.ts'

/** Each kind of group has its own, to the letter. */
export interface GroupTexts {
  /** Of the page and of the button. */
  title: string
  list: string
  /** Of the first part of the form. */
  section: string
  name: string
  disks: string
  createdTitle: string
  created: (name: string) => string
  failedTitle: string
  failed: string
}

/** What `useGroupForm` has of the form, whichever kind it is. */
interface FilledForm {
  form: GroupForm
  project: AsTextProps['project']
  /** What would be sent now, and what its ids mean. */
  body: AsTextProps['body']
  named: AsTextProps['named']
  template: Template | undefined
  /** What each VM will have. */
  size: VmSize | undefined
  /** The data disks that are made for each VM. */
  disks: readonly { size: string }[]
  sshKey: SshKey | undefined
  rules: readonly BrokenRule[]
  quota: ReturnType<typeof useQuotaCheck>
  pending: boolean
  error: string | undefined
  send: (outcome: {
    onSuccess: (group: { name: string }, shown: boolean) => void
    onFailure: (error: unknown, shown: boolean) => void
  }) => Promise<void>
  /** Keeps the form while the user looks after the SSH keys. */
  keep: () => void
}

interface GroupCreateFormProps {
  /** The call that it makes: whoever may not make it cannot create. */
  call: ProjectEndpointId
  texts: GroupTexts
  listPath: string
  filled: FilledForm
  /** At the end of the first part. */
  identity?: ReactNode
  templateHint?: ReactNode
  onTemplateChange?: () => void
  /** The fields that say how many VMs there are. */
  sizeFields: ReactNode
  /** For the panel beside the form. */
  sizes: readonly { label: string; count: number }[]
  scaling: string
}

/** The page that creates a pool or a set, within the `FormProvider` of its form. */
export function GroupCreateForm({
  call,
  texts,
  listPath,
  filled: {
    form,
    project,
    body,
    named,
    template,
    size,
    disks,
    sshKey,
    rules,
    quota,
    pending,
    error,
    send,
    keep,
  },
  identity,
  templateHint,
  onTemplateChange,
  sizeFields,
  sizes,
  scaling,
}: GroupCreateFormProps) {
  const navigate = useNavigate()
  const { control, register, handleSubmit, setValue } = useFormContext<GroupForm>()
  const [said, setSaid] = useState<{ title: string; text: string; open: boolean; created?: boolean }>()
  const brokenAt = (field: GroupField) => rules.find((rule) => rule.field === field)?.text
  const note = quota.refusal ?? rules[0]?.text

  const submit = handleSubmit(() => {
    if (pending) return
    if (note) {
      setSaid({ title: texts.failedTitle, text: note, open: true })
      return
    }
    void send({
      onSuccess: ({ name }, shown) => {
        const text = texts.created(name)
        if (shown) setSaid({ title: texts.createdTitle, text, open: true, created: true })
        else toast.success(text)
      },
      onFailure: (error, shown) => {
        const text = errorText(error, texts.failed)
        if (shown) setSaid({ title: texts.failedTitle, text, open: true })
        else toast.error(text)
      },
    })
  })

  const close = () => {
    if (said?.created) void navigate(listPath)
    setSaid(said && { ...said, open: false })
  }

  return (
    <>
      <PageHeader
        title={texts.title}
        breadcrumb={[{ label: texts.list, render: <Link to={listPath} /> }, { label: texts.title }]}
        actions={<AsText call={call} project={project} named={named} body={body} missing={rules[0]?.text} />}
      />
      <FormColumns>
        <FormSheet label={texts.title} onSubmit={(event) => void submit(event)}>
          <QuotaNote left={quota.left} />
          <FormSection title={texts.section}>
            <Field label={texts.name}>
              <NameInput {...register('name')} />
            </Field>
            <Field label="Description" optional error={brokenAt('description')}>
              <TextArea {...register('description')} rows={2} dir="auto" />
            </Field>
            <Controller
              control={control}
              name="templateId"
              render={({ field }) => (
                <TemplateField
                  templateId={field.value}
                  onChange={(id) => {
                    if (id !== field.value) {
                      onTemplateChange?.()
                      setValue('snapshotId', '')
                    }
                    field.onChange(id)
                  }}
                  hint={templateHint}
                />
              )}
            />
            {form.snapshotId === '' && (
              <VmSizeFields
                template={template}
                cpu={{ ...register('cpu'), error: brokenAt('cpu') }}
                memory={{ ...register('memoryMb'), error: brokenAt('memory_mb') }}
                hint="Left empty, each VM has what the template has. A roll-out can change it later."
              />
            )}
            {identity}
          </FormSection>
          <FormSection title="Size">{sizeFields}</FormSection>
          <FormSection title="Access">
            <Controller
              control={control}
              name="sshKeyId"
              render={({ field }) => (
                <SshKeyField
                  sshKey={sshKey}
                  onChange={field.onChange}
                  onLeave={keep}
                  hint="Password authentication is disabled on the VMs. Access is by SSH key only."
                />
              )}
            />
          </FormSection>
          {form.snapshotId !== '' ? (
            <FormSection title="Storage">
              <GroupSnapshotNote snapshotId={form.snapshotId} onRemove={() => setValue('snapshotId', '')} />
            </FormSection>
          ) : (
            <FormSection title="Storage">
              <Controller
                control={control}
                name="persistent"
                render={({ field }) => (
                  <Checkbox
                    label="Persistent storage"
                    description="The root disk of a VM keeps its data when the VM stops or restarts."
                    checked={field.value}
                    onCheckedChange={field.onChange}
                  />
                )}
              />
              {!form.persistent && (
                <Banner tone="warn">
                  Persistent storage is off. All data on the root disk of a VM is lost when it stops or
                  restarts.
                </Banner>
              )}
              <RootDiskField
                {...register('rootDisk')}
                templateGb={template?.image.root_disk_gb}
                optional
                hint={rootDiskHint(template?.image.root_disk_gb)}
                error={brokenAt('root_disk_gb')}
              />
              <GroupDiskFields label={texts.disks} disks={form.disks} />
            </FormSection>
          )}
          {form.snapshotId === '' && (
            <FormSection title="First boot">
              <TemplateScriptNote template={template} isReplaced={form.startScript.trim() !== ''} />
              <Controller
                control={control}
                name="startScript"
                render={({ field }) => (
                  <StartScriptField
                    value={field.value}
                    onChange={field.onChange}
                    error={brokenAt('start_script')}
                  />
                )}
              />
            </FormSection>
          )}
          <CreateFoot
            call={call}
            label={texts.title}
            note={note}
            error={error}
            pending={pending}
            cancelTo={listPath}
          />
        </FormSheet>
        <GroupPanel
          template={template}
          size={size}
          sshKey={sshKey}
          disks={disks}
          sizes={sizes}
          scaling={scaling}
        />
      </FormColumns>
      <AlertDialog open={said?.open ?? false} onClose={close} title={said?.title ?? ''}>
        {said?.text}
      </AlertDialog>
    </>
  )
}
