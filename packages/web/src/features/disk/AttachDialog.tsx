import {
  type Disk,
  diskAllowedBy,
  disksPerVm,
  diskTexts,
  hotPlugAllowed,
  isFoundIn,
  type Vm,
} from '@slipway/contract'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useAttachDisk, useDisks } from '../../api/disks.ts'
import { errorText } from '../../api/errors.ts'
import { useLimits } from '../../api/host.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Arc } from '../../ui/Arc.tsx'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'
import { reasonOf } from '../../ui/reason.ts'
import type { SelectOption } from '../../ui/SelectBox.tsx'
import { isAttachable } from './disk-filter.ts'

/** Asks to which VM a disk is attached. */
export function AttachToVmDialog({ disk, onClose }: { disk: Disk; onClose: () => void }) {
  const { vms, loading, error, retry } = useVms(disk.project_id)
  const limits = useLimits()
  const takesDisk = (vm: Vm) =>
    diskAllowedBy.attach(vm) === true && hotPlugAllowed(vm, limits) === true && vm.disks.length < disksPerVm
  return (
    <AttachDialog
      description={
        <>
          Attaches <b className="font-medium text-ink">{disk.name}</b> to a VM.{' '}
          {limits.hot_plug ?? 'A running VM sees the disk at once, a stopped VM when it starts.'}
        </>
      }
      label="VM"
      missing={diskTexts.vmMissing}
      options={vms
        .filter(takesDisk)
        .map(({ id, name, status }) => ({ value: id, label: name, description: status }))}
      list={{ noun: 'VMs', loading, error, retry }}
      none={
        <>
          No VM in this project can take a disk now. The VM must be{' '}
          {limits.hot_plug === null ? 'running or stopped' : 'stopped'} and have fewer than {disksPerVm}{' '}
          disks. <Link to={paths.vms(disk.project_id)}>View VMs</Link>
        </>
      }
      noMatch="No VM that can take a disk has this name."
      pairOf={(vmId) => ({ disk, vmId })}
      onClose={onClose}
    />
  )
}

/** Asks which disk is attached to a VM. */
export function AttachDiskDialog({ vm, onClose }: { vm: Vm; onClose: () => void }) {
  const { disks, loading, error, refetch } = useDisks(vm.project_id)
  // The page may have been opened with this dialog in its address.
  const limit = reasonOf(hotPlugAllowed(vm, useLimits()))
  const available = limit ? [] : disks.filter(isAttachable)
  return (
    <AttachDialog
      description={
        <>
          Attaches a disk to <b className="font-medium text-ink">{vm.name}</b>.{' '}
          {vm.status === 'running' ? 'The VM sees the disk at once.' : 'The VM sees the disk when it starts.'}
        </>
      }
      label="Disk"
      missing="Please select a disk"
      options={available.map(({ id, name, size }) => ({ value: id, label: name, description: size }))}
      list={{ noun: 'disks', loading, error, retry: () => void refetch() }}
      none={
        limit ?? (
          <>
            No disk in this project is available.{' '}
            <Link to={paths.diskCreate(vm.project_id)}>Create Disk</Link>
          </>
        )
      }
      noMatch="No available disk has this name."
      pairOf={(diskId) => {
        const disk = available.find(({ id }) => id === diskId)
        return disk && { disk, vmId: vm.id }
      }}
      onClose={onClose}
    />
  )
}

interface Pair {
  disk: Disk
  vmId: string
}

interface AttachDialogProps {
  description: ReactNode
  label: string
  /** Said while nothing is chosen. */
  missing: string
  options: readonly SelectOption[]
  /** Where the options come from. */
  list: { noun: string; loading: boolean; error: Error | null; retry: () => void }
  /** Said, and how to change it, where there are no options. */
  none: ReactNode
  noMatch: string
  /** What belongs together when this one is chosen. */
  pairOf: (value: string) => Pair | undefined
  onClose: () => void
}

function AttachDialog({
  description,
  label,
  missing,
  options,
  list,
  none,
  noMatch,
  pairOf,
  onClose,
}: AttachDialogProps) {
  const attach = useAttachDisk()
  const [text, setText] = useState<string | null>(null)
  const [value, setValue] = useState<string | null>(null)
  // The only one there is, until something else is typed.
  const only = options.length === 1 && text === null ? options[0] : undefined
  // What was chosen may have become impossible meanwhile.
  const chosen = options.find((option) => option.value === value) ?? only
  const { submit, dialog } = useDialogForm({
    dirty: value !== null,
    send: (pair: Pair) => attach.mutateAsync(pair),
    done: (disk) => `Disk "${disk.name}" attached successfully`,
    failed: 'Failed to attach disk. Please try again.',
    onClose,
  })
  const note = list.loading
    ? `Loading ${list.noun}...`
    : list.error
      ? `Failed to load ${list.noun}`
      : chosen
        ? undefined
        : missing

  const pair = chosen && pairOf(chosen.value)
  return (
    <FormDialog
      call="disk.attach"
      {...dialog}
      title="Attach disk"
      description={description}
      submit={{ label: 'Attach', busyText: 'Attaching...' }}
      onSubmit={() => pair && submit(pair)}
      note={note}
    >
      {list.loading ? (
        <p className="flex items-center gap-2 text-ink-3">
          <Arc className="text-busy-mark" />
          Loading {list.noun}...
        </p>
      ) : list.error ? (
        <Banner
          tone="error"
          action={
            <Button size="sm" onClick={list.retry}>
              Try Again
            </Button>
          }
        >
          {errorText(list.error, `Failed to load ${list.noun}`)}
        </Banner>
      ) : options.length === 0 ? (
        <p className="text-ink-2 [&_a]:link">{none}</p>
      ) : (
        <Field label={label}>
          <Combobox
            isMeant={isFoundIn}
            text={text ?? only?.label ?? ''}
            onTextChange={(next) => {
              setText(next)
              setValue(null)
            }}
            value={chosen?.value ?? null}
            onChoose={(option) => {
              setText(option.label)
              setValue(option.value)
            }}
            options={options}
            placeholder="Type to search"
            empty={noMatch}
          />
        </Field>
      )}
    </FormDialog>
  )
}
