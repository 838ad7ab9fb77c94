import { isTransitional, type Vm, vmCan } from '@slipway/contract'
import {
  Camera,
  FileText,
  Play,
  Power,
  RotateCw,
  Square,
  SquareTerminal,
  Terminal,
  Trash2,
} from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { errorDetail } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useDeleteVm, useVmAction, type VmAction } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import type { MenuEntry } from '../../ui/MenuPopup.tsx'
import { toast } from '../../ui/toast.tsx'
import { useGroupOf } from '../vm-group/PartOf.tsx'

const SshDialog = lazy(async () => ({ default: (await import('./SshDialog.tsx')).SshDialog }))

/** Something one can do to a VM: the same on its card and on its page. */
export interface VmActionItem {
  label: string
  icon: ReactNode
  /** Why it cannot be done now. */
  disabledReason?: string | undefined
  busy?: boolean
  run: () => void
  /** Where it is done, if that is another page. */
  to?: string
}

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

const failureTexts: Record<VmAction, string> = {
  start: 'Failed to start VM. Please try again.',
  stop: 'Failed to stop VM. Please try again.',
  forceStop: 'Failed to stop VM. Please try again.',
  restart: 'Failed to restart VM. Please try again.',
}

const reasonOf = (allowed: true | string) => (allowed === true ? undefined : allowed)

/** All actions of a VM, and the dialogs they open, to be rendered beside them. */
export function useVmActions(vm: Vm, { onDeleted }: { onDeleted?: () => void } = {}) {
  const action = useVmAction()
  const [open, setOpen] = useState<'ssh' | 'delete' | null>(null)
  const close = () => setOpen(null)

  // By the promise: callbacks of `mutate` are lost when the card scrolls away before the answer is there.
  const act = (name: VmAction) => () =>
    void action
      .mutateAsync({ vm, action: name })
      .catch((error) => toast.error(failureTexts[name], { detail: errorDetail(error) }))
  const doing = (name: VmAction) => action.isPending && action.variables.action === name

  const start: VmActionItem = {
    label: 'Start',
    icon: <Play {...icon} />,
    disabledReason: reasonOf(vmCan.start(vm)),
    busy: doing('start'),
    run: act('start'),
  }
  const stop: VmActionItem = {
    label: 'Stop',
    icon: <Square {...icon} />,
    disabledReason: reasonOf(vmCan.stop(vm)),
    busy: doing('stop'),
    run: act('stop'),
  }
  const actions = {
    /** The one that turns the VM the other way: a running one can stop, every other could start. */
    power: vm.status === 'running' ? stop : start,
    restart: {
      label: 'Restart',
      icon: <RotateCw {...icon} />,
      disabledReason: reasonOf(vmCan.restart(vm)),
      busy: doing('restart'),
      run: act('restart'),
    },
    forceStop: {
      label: 'Force stop',
      icon: <Power {...icon} />,
      disabledReason: reasonOf(vmCan.forceStop(vm)),
      busy: doing('forceStop'),
      run: act('forceStop'),
    },
    console: {
      label: 'Console',
      icon: <SquareTerminal {...icon} />,
      disabledReason: reasonOf(vmCan.console(vm)),
      run: () => {},
      to: paths.vmConsole(vm.project_id, vm.id),
    },
    ssh: {
      label: 'SSH Connect',
      icon: <Terminal {...icon} />,
      disabledReason: reasonOf(vmCan.ssh(vm)),
      run: () => setOpen('ssh'),
    },
    delete: { label: 'Delete VM', icon: <Trash2 {...icon} />, run: () => setOpen('delete') },
  } satisfies Record<string, VmActionItem>

  const dialogs = (
    <>
      {open === 'ssh' && (
        <Suspense fallback={null}>
          <SshDialog vm={vm} onClose={close} />
        </Suspense>
      )}
      {open === 'delete' && <DeleteDialog vm={vm} onClose={close} onDeleted={onDeleted} />}
    </>
  )
  return { actions, dialogs }
}

/** An action as an entry of a menu. */
export function menuEntry({ label, icon, disabledReason, run }: VmActionItem, danger = false): MenuEntry {
  return { label, icon, disabledReason, onSelect: run, danger }
}

/** An action as a button in the head of a page. */
export function ActionButton({ action }: { action: VmActionItem }) {
  return (
    <Button
      icon={action.icon}
      busy={action.busy}
      disabledReason={action.disabledReason}
      onClick={action.run}
      render={action.to ? <Link to={action.to} /> : undefined}
      // Several actions share one line on a phone; there words say more than signs.
      className="phone:flex-auto phone:px-2 phone:[&_.lucide]:hidden"
    >
      {action.label}
    </Button>
  )
}

export function detailsEntry(vm: Vm): MenuEntry {
  return {
    label: 'View Details',
    icon: <FileText {...icon} />,
    render: <Link to={paths.vm(vm.project_id, vm.id)} />,
  }
}

export function snapshotEntry(vm: Vm): MenuEntry {
  return {
    label: 'Create Snapshot',
    icon: <Camera {...icon} />,
    disabledReason: reasonOf(vmCan.snapshot(vm)),
    render: <Link to={paths.snapshotCreate(vm.project_id, vm.id)} />,
  }
}

/** How changes of VMs are told. */
export const vmKind = { plural: 'VMs', isUnderWay: isTransitional }

export const ipCopyTexts = {
  label: 'Copy IP address',
  success: 'IP address copied to clipboard!',
  failure: 'Failed to copy to clipboard.',
} as const

interface DeleteDialogProps {
  vm: Vm
  onClose: () => void
  onDeleted: (() => void) | undefined
}

function DeleteDialog({ vm, onClose, onDeleted }: DeleteDialogProps) {
  const { project } = useSelectedProject()
  const removal = useDeleteVm()
  const group = useGroupOf(vm)
  const remove = async () => {
    const allowed = vmCan.delete(project)
    try {
      if (allowed !== true) {
        toast.error(allowed)
      } else {
        // By the promise, as above: the card goes with its VM.
        await removal.mutateAsync(vm)
        toast.success(`VM "${vm.name}" deleted successfully`)
        onDeleted?.()
        // What opened the dialog is gone as well.
        document.getElementById('main')?.focus({ preventScroll: true })
      }
    } catch (error) {
      toast.error('Failed to delete VM. Please try again.', { detail: errorDetail(error) })
    }
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete VM"
      confirmLabel="Delete VM"
      busyLabel="Deleting..."
      busy={removal.isPending}
      onConfirm={() => void remove()}
    >
      Are you sure you want to delete VM "<b>{vm.name}</b>"? Attached disks are kept. This action cannot be
      undone.
      {group && (
        <span className="mt-2 block">
          It is part of a VM {group.kind}
          {group.name && (
            <>
              , "<b>{group.name}</b>"
            </>
          )}
          : disks that were made for it are deleted with it, and a new VM takes its place.
        </span>
      )}
    </ConfirmDialog>
  )
}

export type VmActions = ReturnType<typeof useVmActions>['actions']
