import { type Vm, vmCan, vmGoesToBin } from '@slipway/contract'
import { useState } from 'react'
import { useSelectedProject } from '../../api/projects.ts'
import { useDeleteVm } from '../../api/vm-lifetime.ts'
import { useVmAction, type VmAction } from '../../api/vms.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import type { CloseDialog } from '../../shell/use-dialog.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'
import { useGoesAlong } from '../batch/goes-along.ts'
import { BinChoice } from '../bin/BinChoice.tsx'
import { tellDeleted } from '../bin/tell-deleted.ts'
import { useGroupOf } from './PartOf.tsx'
import { failureTexts } from './vm-actions.tsx'

export type Discarding = Exclude<VmAction, 'start' | 'suspend'>

const discardTexts: Record<Discarding, { label: string; busy: string; question: string }> = {
  stop: { label: 'Stop VM', busy: 'Stopping...', question: 'Stop VM' },
  forceStop: { label: 'Force stop VM', busy: 'Stopping...', question: 'Force stop VM' },
  restart: { label: 'Restart VM', busy: 'Restarting...', question: 'Restart VM' },
}

/** Before a VM stops whose root disk, or saved memory, does not outlive that. */
export function DiscardDialog({ vm, action, onClose }: { vm: Vm; action: Discarding; onClose: CloseDialog }) {
  const { mutateAsync } = useVmAction()
  const { label, busy, question } = discardTexts[action]
  const confirm = useConfirmedAct({
    call: action === 'restart' ? 'vm.restart' : 'vm.stop',
    act: () => mutateAsync({ vm, action }),
    allowed: vmCan[action](vm),
    failed: failureTexts[action],
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title={label}
      confirmLabel={label}
      busyLabel={busy}
      {...confirm}
    >
      {question} "<b>{vm.name}</b>"?{' '}
      {vm.status === 'suspended' && (
        <>
          Its saved memory is discarded: what the VM had not written to a disk is lost, and its next start
          boots.{' '}
        </>
      )}
      {!vm.persistent && (
        <>Persistent storage is off: everything on its root disk is lost. Attached disks are kept.</>
      )}
    </ConfirmDialog>
  )
}

/** Before a VM is deleted. */
interface DeleteDialogProps {
  vm: Vm
  onClose: CloseDialog
  afterDelete: string | undefined
}

export function DeleteDialog({ vm, onClose, afterDelete }: DeleteDialogProps) {
  const { project } = useSelectedProject()
  const { mutateAsync } = useDeleteVm()
  const group = useGroupOf(vm)
  const along = useGoesAlong(vm.project_id, [vm])
  const [forGood, setForGood] = useState(false)
  const confirm = useConfirmedAct({
    call: 'vm.delete',
    act: () => mutateAsync({ vm, forGood }),
    allowed: project ? vmCan.remove(vm) : vmCan.delete(project),
    failed: 'Failed to delete VM. Please try again.',
    onDone() {
      onClose(afterDelete === undefined ? {} : { to: afterDelete })
      void tellDeleted({ kind: 'vm', ...vm }, `VM "${vm.name}" deleted successfully`, forGood)
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Delete VM"
      confirmLabel="Delete VM"
      busyLabel="Deleting..."
      focusAfter={pageHeading}
      choice={
        <BinChoice
          kind="vm"
          of={{ projectId: vm.project_id, ids: [vm.id] }}
          goesToBin={vmGoesToBin(vm)}
          forGood={forGood}
          onChange={setForGood}
        />
      }
      {...confirm}
    >
      <p>
        Are you sure you want to delete VM "<b>{vm.name}</b>"? Attached disks are kept. This action cannot be
        undone.
      </p>
      {group && (
        <p className="mt-2">
          It is part of a VM {group.kind}
          {group.name && (
            <>
              , "<b>{group.name}</b>"
            </>
          )}
          : disks that were made for it are deleted with it, and a new VM takes its place.
        </p>
      )}
      <p role="status" className="mt-2">
        {along.text}
      </p>
    </ConfirmDialog>
  )
}
