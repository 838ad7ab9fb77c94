import { missing, type Vm } from '@slipway/contract'
import { Link, type LoaderFunctionArgs, useParams } from 'react-router'
import { ApiError } from '../../api/client.ts'
import { useVm, useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Status } from '../../ui/Status.tsx'
import { VmDialogs } from '../vm/VmDialogs.tsx'
import { NoSuchVm, useVmOfPage, VmHeader } from '../vm/VmHeader.tsx'
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
    { label: isGone ? missing.vmNotFound : 'Console' },
  ]
  if (isGone) return <NoSuchVm projectId={projectId} breadcrumb={breadcrumb} />
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
  const actions = useVmOfPage(vm)
  return (
    <>
      <VmHeader
        vm={vm}
        title={`Console of ${vm.name}`}
        breadcrumb={breadcrumb}
        meta={<Status word={vm.status} since={vm.status_since} />}
        actions={actions}
        withConsole={false}
      />
      <VmDialogs vms={[vm]} afterDelete={paths.vms(vm.project_id)} />
    </>
  )
}
