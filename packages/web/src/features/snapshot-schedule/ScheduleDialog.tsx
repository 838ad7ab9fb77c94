import {
  diskSnapshotTypeAllowed,
  isFoundIn,
  snapshotsKept,
  vmSnapshotTypeAllowed,
  type Weekday,
  weekdays,
} from '@slipway/contract'
import type { ReactNode } from 'react'
import { useDisks } from '../../api/disks.ts'
import { useLimits } from '../../api/host.ts'
import { useSelectedProject } from '../../api/projects.ts'
import {
  type Scheduled,
  type SnapshotSchedule,
  type SnapshotScheduleSet,
  useSetSnapshotSchedule,
} from '../../api/snapshot-schedules.ts'
import { useVms } from '../../api/vms.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { useFields } from '../../shell/use-fields.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Select } from '../../ui/Select.tsx'
import { AsText } from '../as-text/AsText.tsx'
import { fieldsOf, toBody } from './schedule-form.ts'
import { isSet } from './schedule-words.ts'

const dayOptions = weekdays.map((day) => ({
  value: day,
  label: day.charAt(0).toUpperCase() + day.slice(1),
}))

const zoneOptions = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
  (zone) => ({ value: zone, label: zone }),
)

/** Sets when snapshots of a VM or disk are taken, and how many are kept. */
export function ScheduleDialog({
  of,
  schedule,
  ownZone,
  onClose,
}: {
  of: Scheduled
  schedule: SnapshotSchedule
  ownZone: string
  onClose: () => void
}) {
  const { mutateAsync } = useSetSnapshotSchedule(of)
  const { form, change, dirty } = useFields(fieldsOf(schedule, ownZone))
  const wanted = toBody(form)
  const broken = 'broken' in wanted ? wanted.broken : undefined
  const { project } = useSelectedProject()
  const { vms } = useVms(of.kind === 'vm' ? of.project_id : undefined)
  const { disks } = useDisks(of.kind === 'disk' ? of.project_id : undefined)
  const { submit, dialog } = useDialogForm({
    dirty,
    send: (body: SnapshotScheduleSet) => mutateAsync(body),
    done: () => `The snapshot schedule of "${of.name}" was set`,
    failed: 'Failed to set the snapshot schedule. Please try again.',
    onClose,
  })
  const scheduled = [...vms, ...disks].find(({ id }) => id === of.id)
  const call = of.kind === 'vm' ? 'vmSnapshotSchedule.set' : 'diskSnapshotSchedule.set'
  return (
    <FormDialog
      {...dialog}
      call={call}
      title={isSet(schedule) ? 'Change snapshot schedule' : 'Set snapshot schedule'}
      description="When a new snapshot is ready, the oldest ones of the same schedule beyond the number to keep are deleted. Snapshots that people take are never deleted by it."
      submit={{ label: 'Save', busyText: 'Saving...' }}
      onSubmit={() => {
        if ('body' in wanted) submit(wanted.body)
      }}
      note={broken}
      asText={
        <AsText
          call={call}
          project={scheduled && project}
          params={of.kind === 'vm' ? { vmId: of.id } : { diskId: of.id }}
          named={[...vms, ...disks]}
          scheduled={scheduled}
          body={() => ('body' in wanted ? wanted.body : {})}
          missing={broken}
        />
      }
    >
      <Rhythm
        label="Hourly"
        on={form.hourly}
        onChange={(hourly) => change({ hourly })}
        when={
          <Field label="Minute">
            <NumberInput
              min={0}
              max={59}
              fallback={0}
              value={form.minute}
              onValueChange={(minute) => change({ minute })}
            />
          </Field>
        }
        keep={
          <Keep rhythm="hourly" value={form.hourlyKeep} onChange={(hourlyKeep) => change({ hourlyKeep })} />
        }
      />
      <Rhythm
        label="Daily"
        on={form.daily}
        onChange={(daily) => change({ daily })}
        when={<Time value={form.dailyTime} onChange={(dailyTime) => change({ dailyTime })} />}
        keep={<Keep rhythm="daily" value={form.dailyKeep} onChange={(dailyKeep) => change({ dailyKeep })} />}
      />
      <Rhythm
        label="Weekly"
        on={form.weekly}
        onChange={(weekly) => change({ weekly })}
        when={
          <>
            <Field label="Day">
              <Select
                value={form.weekday}
                options={dayOptions}
                // One of the options.
                onValueChange={(weekday) => change({ weekday: weekday as Weekday })}
              />
            </Field>
            <Time value={form.weeklyTime} onChange={(weeklyTime) => change({ weeklyTime })} />
          </>
        }
        keep={
          <Keep rhythm="weekly" value={form.weeklyKeep} onChange={(weeklyKeep) => change({ weeklyKeep })} />
        }
      />
      <Field label="Time zone" hint="Its clocks count, also when they are changed in spring and autumn.">
        <Combobox
          text={form.timeZone}
          onTextChange={(timeZone) => change({ timeZone })}
          onChoose={({ value }) => change({ timeZone: value })}
          value={null}
          options={zoneOptions}
          isMeant={isFoundIn}
        />
      </Field>
      <SnapshotType of={of} value={form.type} onChange={(type) => change({ type })} />
      <Checkbox
        label="Paused"
        description="No snapshots are taken and none are deleted. Those that are due meanwhile are not made up for."
        checked={form.paused}
        onCheckedChange={(paused) => change({ paused })}
      />
    </FormDialog>
  )
}

/** A rhythm that can be switched on; then when, and how many are kept. */
function Rhythm({
  label,
  on,
  onChange,
  when,
  keep,
}: {
  label: string
  on: boolean
  onChange: (on: boolean) => void
  when: ReactNode
  keep: ReactNode
}) {
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{label}</legend>
      <Checkbox label={label} checked={on} onCheckedChange={onChange} />
      {on && (
        <div className="mt-2 grid grid-cols-[repeat(auto-fit,minmax(7rem,1fr))] gap-3 pl-6.5">
          {when}
          {keep}
        </div>
      )}
    </fieldset>
  )
}

function Time({ value, onChange }: { value: string; onChange: (time: string) => void }) {
  return (
    <Field label="Time">
      <TextInput
        value={value}
        onChange={({ target }) => onChange(target.value.trim())}
        placeholder="03:00"
        autoComplete="off"
        maxLength={5}
      />
    </Field>
  )
}

function Keep({
  rhythm,
  value,
  onChange,
}: {
  rhythm: keyof typeof snapshotsKept
  value: number
  onChange: (keep: number) => void
}) {
  const { min, max, default: fallback } = snapshotsKept[rhythm]
  return (
    <Field label="Keep">
      <NumberInput min={min} max={max} fallback={fallback} value={value} onValueChange={onChange} />
    </Field>
  )
}

/** What each snapshot has in it; what the host cannot do is said at the option. */
function SnapshotType({
  of,
  value,
  onChange,
}: {
  of: Scheduled
  value: SnapshotSchedule['snapshot_type']
  onChange: (type: SnapshotSchedule['snapshot_type']) => void
}) {
  const limits = useLimits()
  const options =
    of.kind === 'vm'
      ? [
          { value: 'disk', label: 'Disk only', limit: vmSnapshotTypeAllowed('disk', limits) },
          { value: 'full', label: 'Disk and memory', limit: vmSnapshotTypeAllowed('full', limits) },
        ]
      : [
          { value: 'full', label: 'Full', limit: diskSnapshotTypeAllowed('full', limits) },
          {
            value: 'incremental',
            label: 'Incremental',
            limit: diskSnapshotTypeAllowed('incremental', limits),
          },
        ]
  return (
    <Field label="Type">
      <Select
        value={value}
        options={options.map(({ value: type, label, limit }) => ({
          value: type,
          label,
          description: reasonOf(limit),
          disabled: limit !== true,
        }))}
        // One of the options.
        onValueChange={(type) => onChange(type as SnapshotSchedule['snapshot_type'])}
      />
    </Field>
  )
}
