import { type DiskCreate, diskTexts, gibibyte, parseDiskSize, type UploadCreate } from '@slipway/contract'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { useCreateDisk } from '../../api/disks.ts'
import { errorText } from '../../api/errors.ts'
import { useLimits } from '../../api/host.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useCreateUpload } from '../../api/uploads.ts'
import { paths } from '../../paths.ts'
import { BackLink } from '../../shell/BackLink.tsx'
import { CreateFoot } from '../../shell/CreateFoot.tsx'
import { useFields } from '../../shell/use-fields.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Field, NameInput, TextInput } from '../../ui/Field.tsx'
import { FormColumns, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.tsx'
import { AsText } from '../as-text/AsText.tsx'
import { QuotaNote } from '../quota/QuotaNote.tsx'
import { useQuotaCheck } from '../quota/use-quota-check.ts'
import { DiskInfo } from './DiskInfo.tsx'
import {
  type DiskForm,
  type DiskFormField,
  emptyDiskForm,
  firstBrokenRule,
  formSources,
  isUpload,
  toBody,
  toUpload,
} from './disk-form.ts'
import { FileFields } from './FileFields.tsx'
import { SourceSnapshotField } from './SourceSnapshotField.tsx'

const sourceOptions = Object.entries(formSources).map(([value, label]) => ({ value, label }))

/** What the form sends: a disk, or what is known of a file and the file itself. */
type Sent = { id: string } & ({ disk: DiskCreate } | { upload: UploadCreate; file: Blob })

export function Component() {
  const { projectId = '' } = useParams()
  const navigate = useNavigate()
  const { project } = useSelectedProject()
  const create = useCreateDisk()
  const upload = useCreateUpload()
  const { form, change, dirty } = useFields(usePrefilled())
  const broken = firstBrokenRule(form, project?.id)
  const gi = parseDiskSize(form.size)
  const diskBytes = (typeof gi === 'number' ? gi : 1) * gibibyte
  // Until a file has become a disk, all of it counts.
  const fileBytes = isUpload(form) ? (form.file?.size ?? 0) : 0
  const quota = useQuotaCheck(project?.id, { disk_bytes: Math.max(diskBytes, fileBytes) })
  const failureText = (error: unknown) => errorText(error, 'Failed to create disk. Please try again.')
  const shell = useFormShell({
    dirty,
    send: ({ id, ...sent }: Sent, idempotencyKey): Promise<{ id: string; name: string }> =>
      'disk' in sent
        ? create.mutateAsync({ projectId: id, body: sent.disk, idempotencyKey })
        : upload.mutateAsync({ projectId: id, body: sent.upload, file: sent.file, idempotencyKey }),
    failureText,
  })

  const submit = () => {
    if (broken || quota.refusal || !project) {
      toast.error(quota.refusal ?? broken?.text ?? diskTexts.projectMissing)
      return
    }
    void shell.submit(sentOf(project.id, form), {
      onSuccess: ({ id, name }, shown) => {
        if (isUpload(form)) {
          toast.success(`Upload for disk "${name}" started`)
          if (shown) void navigate(paths.disk(project.id, id))
          return
        }
        toast.success(`Disk "${name}" created successfully!`)
        if (shown) void navigate(paths.disks(project.id))
      },
      onFailure: (error) => toast.error(failureText(error)),
    })
  }

  return (
    <>
      <BackLink to={paths.disks(projectId)}>Back to Disks</BackLink>
      <PageHeader
        title="Create Disk"
        description="A disk keeps data separate from any VM. Attach it to a VM once it is available."
        actions={
          <AsText
            call={isUpload(form) ? 'upload.create' : 'disk.create'}
            project={project}
            named={[]}
            body={() => (isUpload(form) ? toUpload(form) : toBody(form))}
            missing={broken?.text}
          />
        }
      />
      <FormColumns>
        <FormSheet label="Create Disk" onSubmit={submit}>
          <QuotaNote left={quota.left} />
          <DiskFields projectId={projectId} form={form} onChange={change} broken={broken} />
          <CreateFoot
            call={isUpload(form) ? 'upload.create' : 'disk.create'}
            label="Create Disk"
            note={quota.refusal ?? broken?.text}
            error={shell.error}
            pending={shell.pending}
            cancelTo={paths.disks(projectId)}
          />
        </FormSheet>
        <DiskInfo source={form.source} size={form.size} />
      </FormColumns>
    </>
  )
}

function sentOf(id: string, form: DiskForm): Sent {
  // Without a file a rule is broken.
  if (isUpload(form) && form.file) return { id, upload: toUpload(form), file: form.file }
  return { id, disk: toBody(form) }
}

/** A fresh form; with a snapshot in the URL, one that creates a disk from it. */
function usePrefilled(): DiskForm {
  const query = useSearchParams()[0]
  const snapshotName = query.get('snapshot')
  return snapshotName
    ? { ...emptyDiskForm, source: 'SNAPSHOT', snapshotName, snapshotId: query.get('snapshot_id') ?? '' }
    : emptyDiskForm
}

interface DiskFieldsProps {
  projectId: string
  form: DiskForm
  onChange: (part: Partial<DiskForm>) => void
  broken: ReturnType<typeof firstBrokenRule>
}

function DiskFields({ projectId, form, onChange, broken }: DiskFieldsProps) {
  const { disk_files: noFiles } = useLimits()
  /** Of a field that has something in it; what is still empty is told at the foot only. */
  const complaint = (field: DiskFormField, text: string) =>
    broken?.field === field && text.trim() !== '' ? broken.text : undefined
  return (
    <>
      <FormSection title="Disk">
        <Field label="Disk Name" error={complaint('name', form.name)}>
          <NameInput value={form.name} onChange={(event) => onChange({ name: event.target.value })} />
        </Field>
        <Field
          label="Size"
          hint="For example 10GB, 512MB or 1TB. The size of a disk is in whole Gi."
          error={complaint('size', form.size)}
        >
          <TextInput
            value={form.size}
            onChange={(event) => onChange({ size: event.target.value })}
            autoComplete="off"
            maxLength={40}
            className="max-w-50"
          />
        </Field>
      </FormSection>
      <FormSection title="Content">
        <Field label="Source">
          <Select
            value={form.source}
            onValueChange={(value) => onChange({ source: value as DiskForm['source'] })} // one of the options
            options={
              noFiles === null ? sourceOptions : sourceOptions.filter(({ value }) => value !== 'UPLOAD')
            }
          />
        </Field>
        {form.source === 'HTTP' && (
          <Field
            label="Image URL"
            hint="For example https://example.org/data.qcow2."
            error={complaint('image_url', form.imageUrl)}
          >
            <TextInput
              value={form.imageUrl}
              onChange={(event) => onChange({ imageUrl: event.target.value })}
              type="url"
              autoComplete="off"
              maxLength={2048}
              spellCheck={false}
            />
          </Field>
        )}
        {form.source === 'REGISTRY' && (
          <Field label="Container Image" hint="For example docker.io/library/alpine:3.22.">
            <TextInput
              value={form.containerImage}
              onChange={(event) => onChange({ containerImage: event.target.value })}
              autoComplete="off"
              maxLength={2048}
              spellCheck={false}
            />
          </Field>
        )}
        {form.source === 'UPLOAD' && <FileFields form={form} onChange={onChange} broken={broken} />}
        {form.source === 'SNAPSHOT' && (
          <SourceSnapshotField
            projectId={projectId}
            name={form.snapshotName}
            id={form.snapshotId}
            onChange={(snapshotName, snapshotId) => onChange({ snapshotName, snapshotId })}
          />
        )}
      </FormSection>
    </>
  )
}
