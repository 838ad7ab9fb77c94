import {
  type DiskSnapshot,
  type DiskSource,
  diskSnapshotStateOf,
  diskSources,
  diskTexts,
  isFoundIn,
  parseDiskSize,
  snapshotCan,
  type VmSnapshot,
} from '@slipway/contract'
import { useMemo } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useCreateDisk } from '../../api/disks.ts'
import { errorText } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { paths } from '../../paths.ts'
import { BackLink } from '../../shell/BackLink.tsx'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Select } from '../../ui/Select.tsx'
import type { SelectOption } from '../../ui/SelectBox.tsx'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { type DiskForm, type DiskFormField, emptyDiskForm, firstBrokenRule, toBody } from './disk-form.ts'
import { sizeText } from './size-text.ts'

export function Component() {
  const { projectId = '' } = useParams()
  const navigate = useNavigate()
  const { project } = useSelectedProject()
  const create = useCreateDisk()
  const { control, register, handleSubmit, setValue } = useForm<DiskForm>({
    defaultValues: usePrefilled(),
  })
  const form = useWatch({ control }) as DiskForm // all fields have default values
  const broken = firstBrokenRule(form, project?.id)
  /** Of a field that has something in it; what is still empty is told at the foot only. */
  const complaint = (field: DiskFormField, text: string) =>
    broken?.field === field && text.trim() !== '' ? broken.text : undefined

  const submit = handleSubmit(() => {
    if (create.isPending) return
    if (broken || !project) {
      toast.error(broken?.text ?? diskTexts.projectMissing)
      return
    }
    create
      .mutateAsync(
        { projectId: project.id, body: toBody(form) },
        // Only while the form is shown; what came of it is told in any case.
        { onSuccess: () => void navigate(paths.disks(project.id)) },
      )
      .then(
        ({ name }) => toast.success(`Disk "${name}" created successfully!`),
        (error) => toast.error(errorText(error, 'Failed to create disk. Please try again.')),
      )
  })

  return (
    <>
      <BackLink to={paths.disks(projectId)}>Back to Disks</BackLink>
      <PageHeader
        title="Create Disk"
        description="A disk holds data apart from any VM. Attach it to one once it is available."
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,760px)_300px]">
        <FormSheet label="Create Disk" onSubmit={(event) => void submit(event)}>
          <FormSection title="Disk">
            <Field label="Disk Name" error={complaint('name', form.name)}>
              <TextInput {...register('name')} autoComplete="off" maxLength={100} dir="auto" />
            </Field>
            <Field
              label="Size"
              hint="Such as 10GB, 512MB or 1TB. A disk has whole Gi."
              error={complaint('size', form.size)}
            >
              <TextInput {...register('size')} autoComplete="off" maxLength={40} className="max-w-50" />
            </Field>
          </FormSection>
          <FormSection title="Content">
            <Field label="Source">
              <Controller
                control={control}
                name="source"
                render={({ field }) => (
                  <Select
                    value={field.value}
                    onValueChange={field.onChange}
                    options={Object.entries(diskSources).map(([value, label]) => ({ value, label }))}
                  />
                )}
              />
            </Field>
            {form.source === 'HTTP' && (
              <Field
                label="Image URL"
                hint="Such as https://example.org/data.qcow2."
                error={complaint('image_url', form.imageUrl)}
              >
                <TextInput
                  {...register('imageUrl')}
                  type="url"
                  autoComplete="off"
                  maxLength={2048}
                  spellCheck={false}
                />
              </Field>
            )}
            {form.source === 'REGISTRY' && (
              <Field label="Container Image" hint="Such as docker.io/library/alpine:3.22.">
                <TextInput
                  {...register('containerImage')}
                  autoComplete="off"
                  maxLength={2048}
                  spellCheck={false}
                />
              </Field>
            )}
            {form.source === 'SNAPSHOT' && (
              <SnapshotField
                projectId={projectId}
                name={form.snapshotName}
                id={form.snapshotId}
                onChange={(name, id) => {
                  setValue('snapshotName', name)
                  setValue('snapshotId', id)
                }}
              />
            )}
          </FormSection>
          <FormFoot note={broken?.text}>
            <Button render={<Link to={paths.disks(projectId)} />}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              busy={create.isPending}
              busyText="Creating..."
              disabledReason={broken?.text}
            >
              Create Disk
            </Button>
          </FormFoot>
        </FormSheet>
        <InfoBox source={form.source} size={form.size} />
      </div>
    </>
  )
}

/** A fresh form; with a snapshot in the address, one that is made from it. */
function usePrefilled(): DiskForm {
  const query = useSearchParams()[0]
  const snapshotName = query.get('snapshot')
  return snapshotName
    ? { ...emptyDiskForm, source: 'SNAPSHOT', snapshotName, snapshotId: query.get('snapshot_id') ?? '' }
    : emptyDiskForm
}

interface SnapshotFieldProps {
  projectId: string
  name: string
  id: string
  onChange: (name: string, id: string) => void
}

/** The name of a snapshot, typed or chosen; a chosen one is meant even where others have its name. */
function SnapshotField({ projectId, name, id, onChange }: SnapshotFieldProps) {
  const { snapshots: ofDisks } = useDiskSnapshots(projectId)
  const { snapshots: ofVms } = useVmSnapshots(projectId)
  const options = useMemo(() => optionsOf(ofDisks, ofVms), [ofDisks, ofVms])
  const chosen = options.find(({ value }) => value === id)
  const hint =
    options.length > 0
      ? 'Of a disk snapshot or a VM snapshot of this project.'
      : 'This project has no snapshot that is ready.'
  return (
    <Field label="Snapshot Name" hint={chosen?.description ?? hint}>
      <Combobox
        isMeant={isFoundIn}
        text={name}
        onTextChange={(text) => onChange(text, '')}
        value={chosen?.value ?? null}
        onChoose={({ label, value }) => onChange(label, value)}
        options={options}
        placeholder="Type or choose a name"
      />
    </Field>
  )
}

function optionsOf(ofDisks: readonly DiskSnapshot[], ofVms: readonly VmSnapshot[]): SelectOption[] {
  return [
    ...ofDisks
      .filter((snapshot) => diskSnapshotStateOf(snapshot) === 'ready')
      .map(({ id, name, disk_name, size, created_at }) => ({
        value: id,
        label: name,
        description: `Disk ${disk_name}, ${size}, ${formatDateTime(created_at)}`,
      })),
    ...ofVms
      .filter((snapshot) => snapshotCan.createDisk(snapshot) === true)
      .map(({ id, name, vm_name, created_at }) => ({
        value: id,
        label: name,
        description: `Root disk of VM ${vm_name}, ${formatDateTime(created_at)}`,
      })),
  ]
}

const growth = 'Where the content needs more room than the size, the disk is made larger; nothing is cut off.'

const info: Record<DiskSource, readonly string[]> = {
  EMPTY: [
    'The disk is empty, without a file system, and available within seconds.',
    'In the VM, lsblk lists it. Make a file system on it once, then mount it.',
  ],
  HTTP: [
    'The server fetches the image and writes it to the disk. The list shows how far it is, and afterwards the SHA-256 of what was fetched.',
    growth,
  ],
  SNAPSHOT: [
    'The disk is a copy of what was on the snapshot’s disk at that moment; of a VM snapshot, of the VM’s root disk. Neither changes with the other.',
    growth,
  ],
  REGISTRY: [
    'A disk file below /disk/ of the image is taken as it is. Other images become an ext4 file system with their files.',
    'The image must be open to everybody: the server does not sign in to the registry.',
    growth,
  ],
}

/** What one gets, and what to know about it. */
function InfoBox({ source, size }: { source: DiskSource; size: string }) {
  return (
    <Sheet title="What you get" aria-label="What you get">
      <div className="overflow-hidden border-b border-line">
        <Cells
          columns={2}
          items={[
            {
              label: 'Size',
              value:
                typeof parseDiskSize(size) === 'number' ? (
                  sizeText(size)
                ) : (
                  <span className="text-ink-3">None</span>
                ),
            },
            { label: 'Source', value: diskSources[source] },
          ]}
        />
      </div>
      <div className="grid gap-2 px-4 py-3 text-hint/5 text-ink-2">
        {info[source].map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </Sheet>
  )
}
