import { type Disk, diskAllowedBy, disksPerVm, diskTexts, isFoundIn, type Vm } from '@slipway/contract'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useAttachDisk, useDisks } from '../../api/disks.ts'
import { errorDetail } from '../../api/errors.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { Arc } from '../../ui/Arc.tsx'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import type { SelectOption } from '../../ui/SelectBox.tsx'
import { toast } from '../../ui/toast.tsx'
import { isAttachable } from './disk-filter.ts'

/** Which VM a disk goes on. */
export function AttachToVmDialog({ disk, onClose }: { disk: Disk; onClose: () => void }) {
  const { vms, loading } = useVms(disk.project_id)
  const attach = useAttach(onClose)
  return (
    <AttachDialog
      title="Attach disk"
      description={
        <>
          Puts <b className="font-medium text-ink">{disk.name}</b> on a VM. One that runs sees it at once, a
          stopped one when it starts.
        </>
      }
      label="VM"
      missing={diskTexts.vmMissing}
      options={vms
        .filter((vm) => diskAllowedBy.attach(vm) === true && vm.disks.length < disksPerVm)
        .map(({ id, name, status }) => ({ value: id, label: name, description: status }))}
      loadingText={loading ? 'Loading VMs...' : null}
      none={
        <>
          No VM of this project can take a disk now. It must be running or stopped, and have fewer than{' '}
          {disksPerVm} disks. <Link to={paths.vms(disk.project_id)}>View VMs</Link>
        </>
      }
      noMatch="No VM that can take a disk has this name."
      busy={attach.busy}
      onAttach={(vmId) => attach.run(disk, vmId)}
      onClose={onClose}
    />
  )
}

/** Which disk comes on a VM. */
export function AttachDiskDialog({ vm, onClose }: { vm: Vm; onClose: () => void }) {
  const { disks, loading } = useDisks(vm.project_id)
  const attach = useAttach(onClose)
  const available = disks.filter(isAttachable)
  return (
    <AttachDialog
      title="Attach disk"
      description={
        <>
          Puts a disk on <b className="font-medium text-ink">{vm.name}</b>.{' '}
          {vm.status === 'running' ? 'The VM sees it at once.' : 'The VM sees it when it starts.'}
        </>
      }
      label="Disk"
      missing="Please select a disk"
      options={available.map(({ id, name, size }) => ({ value: id, label: name, description: size }))}
      loadingText={loading ? 'Loading disks...' : null}
      none={
        <>
          This project has no available disk. <Link to={paths.diskCreate(vm.project_id)}>Create Disk</Link>
        </>
      }
      noMatch="No available disk has this name."
      busy={attach.busy}
      onAttach={(diskId) => {
        const disk = available.find(({ id }) => id === diskId)
        if (disk) attach.run(disk, vm.id)
      }}
      onClose={onClose}
    />
  )
}

function useAttach(onClose: () => void) {
  const attach = useAttachDisk()
  return {
    busy: attach.isPending,
    // By the promise: callbacks of `mutate` are lost when the row scrolls away before the answer is there.
    run: (disk: Disk, vmId: string) =>
      void attach
        .mutateAsync({ disk, vmId })
        .then(
          () => toast.success(`Disk "${disk.name}" attached successfully`),
          (error) => toast.error('Failed to attach disk. Please try again.', { detail: errorDetail(error) }),
        )
        .then(onClose),
  }
}

interface AttachDialogProps {
  title: string
  description: ReactNode
  label: string
  /** Said while nothing is chosen. */
  missing: string
  options: readonly SelectOption[]
  /** Said while the options are still to come. */
  loadingText: string | null
  /** Said, and how to change it, where there are no options. */
  none: ReactNode
  noMatch: string
  busy: boolean
  onAttach: (value: string) => void
  onClose: () => void
}

function AttachDialog({
  title,
  description,
  label,
  missing,
  options,
  loadingText,
  none,
  noMatch,
  busy,
  onAttach,
  onClose,
}: AttachDialogProps) {
  const [text, setText] = useState('')
  const [value, setValue] = useState<string | null>(null)
  // What was chosen may have become impossible meanwhile.
  const chosen = options.find((option) => option.value === value)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !busy && onClose()}
      title={title}
      description={description}
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            busy={busy}
            busyText="Attaching..."
            disabledReason={chosen ? undefined : missing}
            onClick={() => chosen && onAttach(chosen.value)}
          >
            Attach
          </Button>
        </>
      }
    >
      {loadingText !== null ? (
        <p role="status" className="flex items-center gap-2 text-ink-3">
          <Arc className="text-busy-mark" />
          {loadingText}
        </p>
      ) : options.length === 0 ? (
        <p className="text-ink-2 [&_a]:link">{none}</p>
      ) : (
        <Field label={label}>
          <Combobox
            isMeant={isFoundIn}
            text={text}
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
    </Dialog>
  )
}
