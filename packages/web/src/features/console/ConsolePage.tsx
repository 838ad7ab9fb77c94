import { messages, type Vm } from '@slipway/contract'
import { Ellipsis } from 'lucide-react'
import { useMemo } from 'react'
import { Link, type LoaderFunctionArgs, useNavigate, useParams } from 'react-router'
import { ApiError } from '../../api/client.ts'
import { useVm, useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Status } from '../../ui/Status.tsx'
import { ActionButton, menuEntry, snapshotEntry, useVmActions, vmKind } from '../vm/vm-actions.tsx'
import { beginConsole } from './begin-console.ts'
import { ConsoleSheet } from './ConsoleSheet.tsx'

/** Before anything is drawn: the line and the terminal's code are on their way while the page is. */
export function loader({ params: { projectId = '', vmId = '' } }: LoaderFunctionArgs): null {
  beginConsole({ projectId, vmId })
  return null
}

export function Component() {
  const { projectId = '', vmId = '' } = useParams()
  const { data, error } = useVm(projectId, vmId)
  const { vms } = useVms(projectId)
  // The list may know it earlier.
  const vm = data ?? vms.find(({ id }) => id === vmId)
  const isGone = error instanceof ApiError && error.status === 404
  const breadcrumb = [
    { label: 'Virtual Machines', render: <Link to={paths.vms(projectId)} /> },
    ...(vm && !isGone ? [{ label: vm.name, render: <Link to={paths.vm(projectId, vmId)} /> }] : []),
    { label: isGone ? messages.vmNotFound : 'Console' },
  ]
  if (isGone) {
    return (
      <>
        <PageHeader title={messages.vmNotFound} breadcrumb={breadcrumb} />
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
  return (
    <>
      {vm ? (
        <ConsoleHeader vm={vm} breadcrumb={breadcrumb} />
      ) : (
        <PageHeader title="Console" breadcrumb={breadcrumb} />
      )}
      <ConsoleSheet key={vmId} projectId={projectId} vmId={vmId} vm={vm} />
    </>
  )
}

type Breadcrumb = NonNullable<Parameters<typeof PageHeader>[0]['breadcrumb']>

function ConsoleHeader({ vm, breadcrumb }: { vm: Vm; breadcrumb: Breadcrumb }) {
  const navigate = useNavigate()
  const { actions, dialogs } = useVmActions(vm, {
    onDeleted: () => void navigate(paths.vms(vm.project_id), { replace: true }),
  })
  useAnnouncedChanges(
    useMemo(() => [vm], [vm]),
    vmKind,
  )
  return (
    <>
      <PageHeader
        title={`Console of ${vm.name}`}
        breadcrumb={breadcrumb}
        meta={<Status word={vm.status} since={vm.status_since} />}
        actions={
          <>
            <ActionButton action={actions.power} />
            <ActionButton action={actions.restart} />
            <ActionButton action={actions.ssh} />
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
                snapshotEntry(vm),
                menuEntry(actions.forceStop),
                'separator',
                menuEntry(actions.delete, true),
              ]}
            />
          </>
        }
      />
      {dialogs}
    </>
  )
}
