import { isTransitional, missing, type Vm } from '@slipway/contract'
import { Link, useParams } from 'react-router'
import { ApiError } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { scheduledVm } from '../../api/snapshot-schedules.ts'
import { useVm } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { ObjectActivity } from '../activity/ObjectActivity.tsx'
import { VmDisks } from '../disk/VmDisks.tsx'
import { VmNetwork } from '../network/VmNetwork.tsx'
import { VmShares } from '../share/VmShares.tsx'
import { SnapshotScheduleSection } from '../snapshot-schedule/SnapshotScheduleSection.tsx'
import { VmStartScript } from '../start-script/VmStartScript.tsx'
import { VmUsage } from '../usage/VmUsage.tsx'
import { VmSnapshots } from '../vm-snapshot/VmSnapshots.tsx'
import { VmDialogs } from './VmDialogs.tsx'
import { NoSuchVm, useVmOfPage, VmHeader } from './VmHeader.tsx'
import { VmNote } from './VmNote.tsx'
import { VmSsh } from './VmSsh.tsx'
import { VmStart } from './VmStart.tsx'
import { UnusedNote, VmUnused } from './VmUnused.tsx'
import { factsOf } from './vm-facts.tsx'
import { progressOf } from './vm-steps.ts'

export function Component() {
  const { projectId = '', vmId = '' } = useParams()
  const { data: vm, error, refetch } = useVm(projectId, vmId)
  const breadcrumb = (name: string) => [
    { label: 'Virtual Machines', render: <Link to={paths.vms(projectId)} /> },
    { label: name },
  ]
  // A VM that is gone is gone, also when an older answer is still in the cache.
  const gone = error instanceof ApiError && error.status === 404
  if (gone) return <NoSuchVm projectId={projectId} breadcrumb={breadcrumb(missing.vmNotFound)} />
  if (vm) return <VmView vm={vm} breadcrumb={breadcrumb(vm.name)} />
  return (
    <>
      <PageHeader title="Virtual Machine" breadcrumb={breadcrumb('Details')} />
      {error ? (
        <ErrorState
          title="Error Loading VM"
          message={errorText(error, 'Failed to load the VM. Please try again.')}
          onRetry={() => void refetch()}
        />
      ) : (
        <LoadingState text="Loading VM..." outline="rows" />
      )}
    </>
  )
}

type Breadcrumb = NonNullable<Parameters<typeof PageHeader>[0]['breadcrumb']>

function VmView({ vm, breadcrumb }: { vm: Vm; breadcrumb: Breadcrumb }) {
  const actions = useVmOfPage(vm)
  return (
    <>
      <VmHeader vm={vm} title={vm.name} breadcrumb={breadcrumb} actions={actions} withConsole />
      <VmNote vm={vm} actions={actions} />
      <UnusedNote vm={vm} />
      {vm.note && (
        <p className="mb-4 max-w-prose whitespace-pre-line text-ink-2 wrap-anywhere" dir="auto">
          {vm.note}
        </p>
      )}
      <Sheet aria-label="Facts" className="mb-6">
        {isTransitional(vm) && <WorkTrack label={`${vm.name}: ${vm.status}`} value={progressOf(vm)} />}
        <Cells items={factsOf(vm)} />
      </Sheet>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_336px]">
        <div className="grid min-w-0 gap-6">
          {isTransitional(vm) && <VmStart vm={vm} />}
          <VmStartScript vm={vm} />
          <VmUsage vm={vm} />
          {!isTransitional(vm) && <VmStart vm={vm} />}
          <ObjectActivity object={vm} noun="VM" />
        </div>
        <div className="grid min-w-0 gap-7">
          <VmSsh vm={vm} />
          <VmNetwork vm={vm}>
            <VmShares vm={vm} />
          </VmNetwork>
          <VmDisks vm={vm} />
          <VmSnapshots vm={vm} />
          <SnapshotScheduleSection of={scheduledVm(vm)} />
          <VmUnused vm={vm} />
        </div>
      </div>
      <VmDialogs vms={[vm]} afterDelete={paths.vms(vm.project_id)} />
    </>
  )
}
