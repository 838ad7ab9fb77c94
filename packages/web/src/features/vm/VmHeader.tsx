import { missing, type Vm } from '@slipway/contract'
import { Ellipsis } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { ActionButton, menuEntry, useVmActions, type VmActions, vmKind } from './vm-actions.tsx'

type Breadcrumb = NonNullable<Parameters<typeof PageHeader>[0]['breadcrumb']>

/** What a page of one VM can do to it; changes of its status are announced. */
export function useVmOfPage(vm: Vm) {
  useAnnouncedChanges(
    useMemo(() => [vm], [vm]),
    vmKind,
  )
  return useVmActions(vm)
}

interface VmHeaderProps {
  vm: Vm
  title: string
  breadcrumb: Breadcrumb
  meta?: ReactNode
  actions: VmActions
  /** Not on the page of the console itself. */
  withConsole: boolean
}

export function VmHeader({ vm, title, breadcrumb, meta, actions, withConsole }: VmHeaderProps) {
  return (
    <PageHeader
      title={title}
      breadcrumb={breadcrumb}
      meta={meta}
      actions={
        <>
          <ActionButton action={actions.power} />
          <ActionButton action={actions.restart} />
          <ActionButton action={actions.ssh} />
          {withConsole && <ActionButton action={actions.console} />}
          <Menu
            label={`Actions for ${vm.name}`}
            trigger={
              <IconButton
                variant="secondary"
                label={`More actions for ${vm.name}`}
                icon={<Ellipsis size={16} strokeWidth={1.6} aria-hidden />}
              />
            }
            items={[
              menuEntry(actions.edit),
              menuEntry(actions.snapshot),
              menuEntry(actions.fork),
              menuEntry(actions.suspend),
              menuEntry(actions.forceStop),
              'separator',
              menuEntry(actions.delete, true),
            ]}
          />
        </>
      }
    />
  )
}

/** In place of a page whose VM there is not, or not any more. */
export function NoSuchVm({ projectId, breadcrumb }: { projectId: string; breadcrumb: Breadcrumb }) {
  return (
    <>
      <PageHeader title={missing.vmNotFound} breadcrumb={breadcrumb} />
      <EmptyState
        title="There is no such VM"
        action={
          <Button variant="primary" render={<Link to={paths.vms(projectId)} />}>
            View Virtual Machines
          </Button>
        }
      >
        It was deleted, or the address is wrong.
      </EmptyState>
    </>
  )
}
