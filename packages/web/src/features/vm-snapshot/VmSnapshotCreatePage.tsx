import { type Vm, vmCan, vmSnapshotRetention } from '@slipway/contract'
import { HardDrive, MemoryStick } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { useCreateVmSnapshot } from '../../api/vm-snapshots.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { BackLink } from '../../shell/BackLink.tsx'
import { flash } from '../../shell/use-flash.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field, TextArea, TextInput } from '../../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Select } from '../../ui/Select.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { toast } from '../../ui/toast.tsx'
import {
  type BrokenRule,
  brokenRules,
  emptyVmSnapshotForm,
  toBody,
  type VmSnapshotForm,
} from './vm-snapshot-form.ts'

export function Component() {
  const { projectId = '' } = useParams()
  const wantedVmId = useSearchParams()[0].get('vm')
  const navigate = useNavigate()
  const { vms, loading, error, retry } = useVms(projectId)
  const create = useCreateVmSnapshot()
  const { control, register, handleSubmit, setValue } = useForm<VmSnapshotForm>({
    defaultValues: emptyVmSnapshotForm,
  })
  const form = useWatch({ control }) as VmSnapshotForm // all fields have default values

  const offered = vms.filter((vm) => vmCan.snapshot(vm) === true)
  const vm = offered.find(({ id }) => id === form.vmId)
  const first = offered.find(({ id }) => id === wantedVmId) ?? offered[0]
  useEffect(() => {
    // Once: a VM that cannot be chosen any more must not be replaced by another behind the user's back.
    if (first && form.vmId === '') setValue('vmId', first.id)
  }, [first, form.vmId, setValue])

  const chosen: VmSnapshotForm = { ...form, vmId: vm?.id ?? '' }
  const rules = brokenRules(chosen)
  const complaint = (field: BrokenRule['field']) => rules.find((rule) => rule.field === field)?.text
  const note = loading ? 'Loading VMs...' : rules[0]?.text

  const submit = handleSubmit(() => {
    if (create.isPending || loading) return
    if (rules[0]) {
      toast.error(rules[0].text)
      return
    }
    let shown = false
    create
      .mutateAsync(
        { projectId, vmId: chosen.vmId, body: toBody(chosen, new Date()) },
        {
          // Only while the form is shown; what came of it is told in any case.
          onSuccess: ({ name }) => {
            shown = true
            void navigate(paths.snapshots(projectId), { state: flash(successText(name), { refresh: true }) })
          },
        },
      )
      .then(
        ({ name }) => shown || toast.success(successText(name)),
        (error) => toast.error(errorText(error, 'Failed to create snapshot. Please try again.')),
      )
  })

  return (
    <>
      <BackLink to={paths.snapshots(projectId)}>Back to Snapshots</BackLink>
      <PageHeader
        title="Create Snapshot"
        description="A snapshot keeps the state of a VM, so that you can bring the VM back to it. The VM goes on meanwhile."
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,760px)_300px]">
        <FormSheet label="Create Snapshot" onSubmit={(event) => void submit(event)}>
          <FormSection title="Snapshot">
            <Field label="Snapshot Name">
              <TextInput {...register('name')} autoComplete="off" maxLength={100} dir="auto" />
            </Field>
            <Field label="Description" optional error={complaint('description')}>
              <TextArea {...register('description')} rows={2} dir="auto" />
            </Field>
          </FormSection>
          <FormSection title="Machine">
            <Field
              label="VM"
              error={error ? 'Failed to load VMs. Please try again.' : undefined}
              aside={
                error && (
                  <button type="button" className="link" onClick={retry}>
                    Try Again
                  </button>
                )
              }
              hint={<NotOffered vm={vms.find(({ id }) => id === (form.vmId || wantedVmId))} chosen={vm} />}
            >
              <Controller
                control={control}
                name="vmId"
                render={({ field }) => (
                  <Select
                    value={vm?.id ?? null}
                    onValueChange={field.onChange}
                    disabled={offered.length === 0}
                    placeholder={loading ? 'Loading VMs...' : offered.length > 0 ? 'Choose a VM' : 'No VM'}
                    options={offered.map(({ id, name, status }) => ({
                      value: id,
                      label: name,
                      description: status,
                      icon: <StatusGlyph word={status} />,
                    }))}
                  />
                )}
              />
            </Field>
            {!loading && !error && offered.length === 0 && (
              <Banner
                tone="warn"
                action={
                  <Button size="sm" render={<Link to={paths.vms(projectId)} />}>
                    View VMs
                  </Button>
                }
              >
                No VMs available for snapshot creation. VMs must be in running or stopped state.
              </Banner>
            )}
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
                    {
                      value: 'disk',
                      label: 'Disk only',
                      description: 'Faster. A restore brings the disks back, and a VM that runs starts anew.',
                    },
                    {
                      value: 'full',
                      label: 'Full: disk plus memory',
                      description:
                        vm?.status === 'stopped'
                          ? 'This VM is stopped, so there is no memory to save: the snapshot will hold its disks only.'
                          : 'A restore goes on from that very moment. The guest may stand still while its memory is saved.',
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
              hint="From 1 to 365. Then the snapshot is deleted by itself."
              className="max-w-60"
            >
              <Controller
                control={control}
                name="retentionDays"
                render={({ field: { onChange, ...field } }) => (
                  <NumberInput
                    {...field}
                    onValueChange={onChange}
                    min={vmSnapshotRetention.min}
                    max={vmSnapshotRetention.max}
                    fallback={vmSnapshotRetention.default}
                  />
                )}
              />
            </Field>
          </FormSection>
          <FormFoot note={note}>
            <Button render={<Link to={paths.snapshots(projectId)} />}>Cancel</Button>
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
        <Sheet title="What it will hold" aria-label="What it will hold" className="lg:sticky lg:top-6.5">
          {vm ? (
            <Content vm={vm} withMemory={form.type === 'full' && vm.status === 'running'} />
          ) : (
            <p className="px-4 py-3.5 text-hint text-ink-3">
              Choose a VM to see what the snapshot will hold.
            </p>
          )}
        </Sheet>
      </div>
    </>
  )
}

const successText = (name: string) => `Snapshot "${name}" created successfully!`

/** Why the VM that one came from, or that was chosen, is not among the choices; nothing when it is. */
function NotOffered({ vm, chosen }: { vm: Vm | undefined; chosen: Vm | undefined }) {
  if (!vm || vm.id === chosen?.id || vmCan.snapshot(vm) === true) return null
  return (
    <>
      <bdi>{vm.name}</bdi> is {vm.status.toLowerCase()}. {vmCan.snapshot(vm)}.
    </>
  )
}

function Content({ vm, withMemory }: { vm: Vm; withMemory: boolean }) {
  return (
    <ul className="divide-y divide-line text-dense">
      {withMemory && (
        <Part icon={<MemoryStick size={16} strokeWidth={1.6} aria-hidden />} name="Memory">
          What runs in the guest at that moment
        </Part>
      )}
      <Part icon={disk} name="Root disk">
        The system of <bdi>{vm.name}</bdi>
      </Part>
      {vm.disks.map(({ disk_id, name, size }) => (
        <Part key={disk_id} icon={disk} name={name} size={size}>
          Data disk
        </Part>
      ))}
    </ul>
  )
}

const disk = <HardDrive size={16} strokeWidth={1.6} aria-hidden />

interface PartProps {
  icon: ReactNode
  name: string
  size?: string
  children: ReactNode
}

function Part({ icon, name, size, children }: PartProps) {
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <span className="flex-none text-ink-3">{icon}</span>
      <span className="min-w-0 flex-1 wrap-anywhere">
        <bdi className="block font-[550]">{name}</bdi>
        <span className="block text-label/4.5 text-ink-3">{children}</span>
      </span>
      {size && <span>{size}</span>}
    </li>
  )
}
