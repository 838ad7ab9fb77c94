import {
  type Disk,
  diskCan,
  diskSnapshotRetention,
  diskSnapshotStateOf,
  diskSnapshotTexts,
  diskStateOf,
  formatDiskSize,
} from '@slipway/contract'
import { useState } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { useCreateDiskSnapshot, useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useDisks } from '../../api/disks.ts'
import { errorText } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { paths } from '../../paths.ts'
import { BackLink } from '../../shell/BackLink.tsx'
import { flash } from '../../shell/use-flash.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { AlertDialog } from '../../ui/Dialog.tsx'
import { Field, TextArea, TextInput } from '../../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Select } from '../../ui/Select.tsx'
import { Rows, Sheet } from '../../ui/Sheet.tsx'
import { Status } from '../../ui/Status.tsx'
import { toast } from '../../ui/toast.tsx'
import {
  type BrokenRule,
  brokenRules,
  type DiskSnapshotForm,
  emptyDiskSnapshotForm,
  toBody,
} from './disk-snapshot-form.ts'

export function Component() {
  const { projectId = '' } = useParams()
  const wantedDiskId = useSearchParams()[0].get('disk') ?? ''
  const navigate = useNavigate()
  const { project } = useSelectedProject()
  // A failure is an empty choice, without a word.
  const { disks, loading } = useDisks(projectId)
  const { snapshots } = useDiskSnapshots(projectId)
  const create = useCreateDiskSnapshot()
  const [failure, setFailure] = useState<string | null>(null)
  const { control, register, handleSubmit } = useForm<DiskSnapshotForm>({
    defaultValues: { ...emptyDiskSnapshotForm, diskId: wantedDiskId },
  })
  const form = useWatch({ control }) as DiskSnapshotForm // all fields have default values

  const offered = disks.filter((disk) => diskCan.snapshot(disk) === true)
  const disk = offered.find(({ id }) => id === form.diskId)
  const parent = snapshots.findLast(
    (snapshot) => snapshot.disk_id === disk?.id && diskSnapshotStateOf(snapshot) === 'ready',
  )
  const chosen: DiskSnapshotForm = { ...form, diskId: disk?.id ?? '' }
  const rules = brokenRules(chosen, project?.id)
  const complaint = (field: BrokenRule['field']) => rules.find((rule) => rule.field === field)?.text
  const note = loading ? 'Loading disks...' : rules[0]?.text

  const submit = handleSubmit(() => {
    if (create.isPending || loading) return
    if (rules[0] || !project) {
      toast.error(rules[0]?.text ?? diskSnapshotTexts.projectMissing)
      return
    }
    let shown = false
    create
      .mutateAsync(
        { projectId: project.id, body: toBody(chosen) },
        {
          // Only while the form is shown; what came of it is told in any case.
          onSuccess: ({ name }) => {
            shown = true
            void navigate(paths.diskSnapshots(projectId), {
              state: flash(successText(name), { refresh: true }),
            })
          },
          onError: (error) => {
            shown = true
            setFailure(failureText(error))
          },
        },
      )
      .then(
        ({ name }) => shown || toast.success(successText(name)),
        (error) => shown || toast.error(failureText(error)),
      )
  })

  return (
    <>
      <BackLink to={paths.diskSnapshots(projectId)}>Back to Disk Snapshots</BackLink>
      <PageHeader
        title="Create Disk Snapshot"
        description="A disk snapshot keeps the content of a disk, so that you can make new disks from it."
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,760px)_300px]">
        <FormSheet label="Create Disk Snapshot" onSubmit={(event) => void submit(event)}>
          <FormSection title="Snapshot">
            <Field label="Snapshot Name" hint="No other disk snapshot of this project may have it.">
              <TextInput {...register('name')} autoComplete="off" maxLength={100} dir="auto" />
            </Field>
            <Field label="Description" optional error={complaint('description')}>
              <TextArea {...register('description')} rows={2} dir="auto" />
            </Field>
          </FormSection>
          <FormSection title="Disk">
            <Field
              label="Select Disk"
              hint={
                !loading &&
                offered.length === 0 && (
                  <>
                    No disk of this project is available or attached.{' '}
                    <Link to={paths.disks(projectId)} className="link">
                      View disks
                    </Link>
                  </>
                )
              }
            >
              <Controller
                control={control}
                name="diskId"
                render={({ field }) => (
                  <Select
                    value={disk?.id ?? null}
                    onValueChange={field.onChange}
                    disabled={offered.length === 0}
                    placeholder={
                      loading ? 'Loading disks...' : offered.length > 0 ? 'Choose a disk' : 'No disks'
                    }
                    options={offered.map((one) => ({
                      value: one.id,
                      label: one.name,
                      description: `${formatDiskSize(one.size)}, ${attachmentOf(one)}`,
                    }))}
                  />
                )}
              />
            </Field>
          </FormSection>
          <FormSection title="Content">
            <Controller
              control={control}
              name="type"
              render={({ field }) => (
                <RadioGroup
                  label="Snapshot Type"
                  value={field.value}
                  onValueChange={field.onChange}
                  options={[
                    { value: 'full', label: 'Full', description: 'All of the disk.' },
                    {
                      value: 'incremental',
                      label: 'Incremental',
                      description: <IncrementalNote disk={disk} parent={parent?.name} />,
                    },
                  ]}
                />
              )}
            />
          </FormSection>
          <FormSection title="Retention">
            <Field
              label="Retention Period"
              aside={<span className="text-label text-ink-3">Days</span>}
              error={complaint('retention')}
              hint={diskSnapshotTexts.retentionInvalid}
              className="max-w-60"
            >
              <Controller
                control={control}
                name="retentionDays"
                render={({ field: { onChange, ...field } }) => (
                  <NumberInput
                    {...field}
                    onValueChange={onChange}
                    min={diskSnapshotRetention.min}
                    max={diskSnapshotRetention.max}
                    fallback={0}
                  />
                )}
              />
            </Field>
            <Banner tone="info">
              The disk can be used while its snapshot is made, but not deleted or detached. New disks made
              from the snapshot are independent copies. After the retention period it is deleted by itself.
            </Banner>
          </FormSection>
          <FormFoot note={note}>
            <Button render={<Link to={paths.diskSnapshots(projectId)} />}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              busy={create.isPending}
              busyText="Creating..."
              disabledReason={note}
            >
              Create Snapshot
            </Button>
          </FormFoot>
        </FormSheet>
        <DiskSummary disk={disk} />
      </div>
      <AlertDialog open={failure !== null} onClose={() => setFailure(null)} title="Disk snapshot not created">
        {failure}
      </AlertDialog>
    </>
  )
}

const successText = (name: string) => `Disk snapshot "${name}" created successfully!`
const failureText = (error: unknown) => errorText(error, 'Failed to create disk snapshot. Please try again.')

const attachmentOf = (disk: Disk) =>
  diskStateOf(disk) === 'attached' ? `attached to ${disk.vm_name ?? disk.vm_id}` : 'available'

function IncrementalNote({ disk, parent }: { disk: Disk | undefined; parent: string | undefined }) {
  if (!disk) return 'What changed since the newest ready snapshot of the disk.'
  if (parent === undefined) return 'This disk has no ready snapshot to build upon: it will be a full one.'
  return (
    <>
      What changed since <bdi>{parent}</bdi>, the newest ready snapshot of the disk.
    </>
  )
}

/** The chosen disk, beside the form. */
function DiskSummary({ disk }: { disk: Disk | undefined }) {
  return (
    <Sheet title="Disk details" aria-label="Disk details" className="lg:sticky lg:top-6.5">
      {disk ? (
        <Rows
          items={[
            { label: 'Name', value: <bdi className="min-w-0">{disk.name}</bdi> },
            { label: 'Size', value: formatDiskSize(disk.size) },
            { label: 'Type', value: typeName(disk.disk_type) },
            { label: 'Status', value: <Status word={diskStateOf(disk)} /> },
            { label: 'Description', value: <bdi className="min-w-0">{disk.description || 'None'}</bdi> },
          ]}
        />
      ) : (
        <p className="px-4 py-3.5 text-hint text-ink-3">Choose a disk to see what will be kept of it.</p>
      )}
    </Sheet>
  )
}

/** `Standard`; also where a server does not say it. */
const typeName = (type: string | undefined) =>
  type ? type.charAt(0).toUpperCase() + type.slice(1) : 'Standard'
