import {
  copiesAllowed,
  isComing,
  isTransitional,
  type ProjectEndpointId,
  suspendAllowed,
  type Vm,
  vmCan,
} from '@slipway/contract'
import {
  FileText,
  Pause,
  Play,
  Power,
  RotateCw,
  Split,
  Square,
  SquarePen,
  SquareTerminal,
  Terminal,
  Trash2,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/access.ts'
import { errorDetail } from '../../api/errors.ts'
import { useLimits } from '../../api/host.ts'
import { useVmAction, type VmAction } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import type { MenuEntry } from '../../ui/MenuPopup.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { toast } from '../../ui/toast.tsx'
import { vmDialogs } from './vm-dialogs.ts'

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

/** What is said when an action failed. */
export const failureTexts: Record<VmAction, string> = {
  start: 'Failed to start VM. Please try again.',
  stop: 'Failed to stop VM. Please try again.',
  forceStop: 'Failed to stop VM. Please try again.',
  suspend: 'Failed to suspend VM. Please try again.',
  restart: 'Failed to restart VM. Please try again.',
}

/** All actions of a VM. The page that shows them has the dialogs they open: `VmDialogs`. */
export function useVmActions(vm: Vm) {
  const action = useVmAction()
  const limits = useLimits()
  const may = useMay(vm.project_id)
  const denied = (call: ProjectEndpointId) => reasonOf(may(call))
  const openDialog = useOpenDialog()
  const ask = (dialog: string) => () => openDialog(dialog, vm.id)

  // By the promise: callbacks of `mutate` are lost when the card scrolls away before the answer is there.
  const act = (name: VmAction) => () =>
    void action
      .mutateAsync({ vm, action: name })
      .catch((error) => toast.error(failureTexts[name], { detail: errorDetail(error) }))
  const doing = (name: VmAction) => action.isPending && action.variables.action === name

  const start: VmActionItem = {
    label: 'Start',
    icon: <Play {...icon} />,
    disabledReason: denied('vm.start') ?? reasonOf(vmCan.start(vm)),
    busy: doing('start'),
    run: act('start'),
  }
  const stop: VmActionItem = {
    label: 'Stop',
    icon: <Square {...icon} />,
    disabledReason: denied('vm.stop') ?? reasonOf(vmCan.stop(vm)),
    busy: doing('stop'),
    run: vm.persistent ? act('stop') : ask(vmDialogs.stop),
  }
  // What is lost with the root disk, or with the saved memory, is told before.
  const losesWork = !vm.persistent || vm.status === 'suspended'
  const suspendable = suspendAllowed(limits)
  const copyable = copiesAllowed(limits)
  const actions = {
    /** The one that turns the VM the other way: what runs or is on its way up can stop, all else could start. */
    power: vm.status === 'running' || vm.status === 'suspending' || isComing(vm) ? stop : start,
    restart: {
      label: 'Restart',
      icon: <RotateCw {...icon} />,
      disabledReason: denied('vm.restart') ?? reasonOf(vmCan.restart(vm)),
      busy: doing('restart'),
      run: vm.persistent ? act('restart') : ask(vmDialogs.restart),
    },
    suspend: {
      label: 'Suspend',
      icon: <Pause {...icon} />,
      disabledReason:
        denied('vm.suspend') ?? reasonOf(suspendable === true ? vmCan.suspend(vm) : suspendable),
      busy: doing('suspend'),
      run: act('suspend'),
    },
    forceStop: {
      label: 'Force stop',
      icon: <Power {...icon} />,
      disabledReason: denied('vm.stop') ?? reasonOf(vmCan.forceStop(vm)),
      busy: doing('forceStop'),
      run: losesWork ? ask(vmDialogs.forceStop) : act('forceStop'),
    },
    console: {
      label: 'Console',
      icon: <SquareTerminal {...icon} />,
      // Typing there starts a suspended VM.
      disabledReason:
        denied('vm.console') ?? (vm.status === 'suspended' ? undefined : reasonOf(vmCan.console(vm))),
      run: () => {},
      to: paths.vmConsole(vm.project_id, vm.id),
    },
    ssh: {
      label: 'SSH Connect',
      icon: <Terminal {...icon} />,
      disabledReason: denied('vm.console') ?? reasonOf(vmCan.ssh(vm)),
      run: ask(vmDialogs.ssh),
    },
    edit: {
      label: 'Edit',
      icon: <SquarePen {...icon} />,
      disabledReason: denied('vm.update'),
      run: ask(vmDialogs.edit),
    },
    fork: {
      label: 'Fork',
      icon: <Split {...icon} />,
      disabledReason: denied('vm.fork') ?? reasonOf(copyable === true ? vmCan.fork(vm) : copyable),
      run: ask(vmDialogs.fork),
    },
    delete: {
      label: 'Delete VM',
      icon: <Trash2 {...icon} />,
      disabledReason: denied('vm.delete') ?? reasonOf(vmCan.remove(vm)),
      run: ask(vmDialogs.delete),
    },
    snapshot: {
      label: 'Create Snapshot',
      icon: <objectIcons.vm_snapshot {...icon} />,
      disabledReason: denied('vmSnapshot.create') ?? reasonOf(vmCan.snapshot(vm)),
      run: () => {},
      to: paths.snapshotCreate(vm.project_id, vm.id),
    },
  } satisfies Record<string, VmActionItem>

  return actions
}

/** An action as an entry of a menu. */
export function menuEntry({ label, icon, disabledReason, run, to }: VmActionItem, danger = false): MenuEntry {
  const does = to ? { render: <Link to={to} /> } : { onSelect: run }
  return { label, icon, disabledReason, danger, ...does }
}

/** What the menu of a VM in a list has; `first` are those that have no button of their own there. */
export const vmMenu = (vm: Vm, actions: VmActions, first: readonly VmActionItem[] = []): MenuEntry[] => [
  detailsEntry(vm),
  ...first.map((action) => menuEntry(action)),
  menuEntry(actions.ssh),
  menuEntry(actions.edit),
  menuEntry(actions.snapshot),
  menuEntry(actions.fork),
  'separator',
  menuEntry(actions.restart),
  menuEntry(actions.suspend),
  menuEntry(actions.forceStop),
  'separator',
  menuEntry(actions.delete, true),
]

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

function detailsEntry(vm: Vm): MenuEntry {
  return {
    label: 'View Details',
    icon: <FileText {...icon} />,
    render: <Link to={paths.vm(vm.project_id, vm.id)} />,
  }
}

/** How changes of VMs are told. */
export const vmKind = { plural: 'VMs', isUnderWay: isTransitional }

export const ipCopyTexts = {
  label: 'Copy IP address',
  success: 'IP address copied to clipboard!',
  failure: 'Failed to copy to clipboard.',
} as const

export type VmActions = ReturnType<typeof useVmActions>
