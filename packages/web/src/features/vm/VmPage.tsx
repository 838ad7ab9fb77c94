import {
  fillPath,
  formatCpu,
  formatMemory,
  isComing,
  isTransitional,
  messages,
  networkOf,
  routeOf,
  type Vm,
  vmCan,
} from '@slipway/contract'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { ApiError, apiBase } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { useVm } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { WhyNote } from '../../shell/Why.tsx'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { Status } from '../../ui/Status.tsx'
import { StepList } from '../../ui/StepList.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { ObjectActivity } from '../activity/ObjectActivity.tsx'
import { VmDisks } from '../disk/VmDisks.tsx'
import { VmUsage } from '../usage/VmUsage.tsx'
import { isMember } from '../vm-group/member.ts'
import { PartOf } from '../vm-group/PartOf.tsx'
import { VmSnapshots } from '../vm-snapshot/VmSnapshots.tsx'
import { SshWayTitle, sshCopyTexts } from './ssh-words.tsx'
import { useSshWays } from './use-ssh-ways.ts'
import { Address } from './VmCard.tsx'
import { VmDialogs } from './VmDialogs.tsx'
import { NoSuchVm, useVmOfPage, VmHeader } from './VmHeader.tsx'
import type { VmActions } from './vm-actions.tsx'
import { currentStep, progressOf, stepsOf } from './vm-steps.ts'

export function Component() {
  const { projectId = '', vmId = '' } = useParams()
  const { data: vm, error, refetch } = useVm(projectId, vmId)
  const breadcrumb = (name: string) => [
    { label: 'Virtual Machines', render: <Link to={paths.vms(projectId)} /> },
    { label: name },
  ]
  // A VM that is gone is gone, also when an older answer is still in the cache.
  const gone = error instanceof ApiError && error.status === 404
  if (gone) return <NoSuchVm projectId={projectId} breadcrumb={breadcrumb(messages.vmNotFound)} />
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
      <WhyRow vm={vm} actions={actions} />
      <Sheet aria-label="Facts" className="mb-6">
        {isTransitional(vm) && <WorkTrack label={`${vm.name}: ${vm.status}`} value={progressOf(vm)} />}
        <Cells items={factsOf(vm)} />
      </Sheet>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_336px]">
        <div className="grid min-w-0 gap-6">
          {isTransitional(vm) && <StartSection vm={vm} />}
          <VmUsage vm={vm} />
          {!isTransitional(vm) && <StartSection vm={vm} />}
          <ObjectActivity object={vm} noun="VM" />
        </div>
        <div className="grid min-w-0 gap-7">
          <SshSection vm={vm} />
          <VmDisks vm={vm} />
          <VmSnapshots vm={vm} />
        </div>
      </div>
      <VmDialogs vms={[vm]} afterDelete={paths.vms(vm.project_id)} />
    </>
  )
}

interface WhyRowProps {
  vm: Vm
  actions: VmActions
}

/** Why the VM is in its state, since when, and what comes or what to do. Nothing for one that is well. */
function WhyRow({ vm, actions }: WhyRowProps) {
  const { status_message: reason, status_since: since, status_deadline: until } = vm
  if (vm.status === 'failed' || vm.status === 'error') {
    return (
      <WhyNote
        tone="failed"
        word={vm.status === 'failed' ? 'Failed' : 'Error'}
        reason={reason}
        since={since}
        actions={
          <span className="flex flex-wrap gap-2">
            {vmCan.start(vm) === true && (
              <Button size="sm" busy={actions.power.busy} busyText="Trying..." onClick={actions.power.run}>
                Try again
              </Button>
            )}
            {vm.steps.some(({ name }) => name === 'boot') && (
              <Button size="sm" render={<a href={logPathOf(vm)} target="_blank" rel="noreferrer" />}>
                View log
              </Button>
            )}
            <Button size="sm" aria-haspopup="dialog" onClick={actions.delete.run}>
              Delete...
            </Button>
          </span>
        }
      />
    )
  }
  const step = currentStep(vm)
  if (!step) return reason ? <WhyNote tone="known" word="" reason={reason} /> : null
  const waitsForRoom = vm.steps.some(({ name, ended_at }) => name === 'room' && ended_at === null)
  return (
    <WhyNote
      tone="waiting"
      word={vm.status.charAt(0).toUpperCase() + vm.status.slice(1)}
      reason={step}
      since={since}
      until={until}
      actions={
        waitsForRoom && (
          <Link to={paths.vms(vm.project_id)} className="link text-dense">
            Stop another VM
          </Link>
        )
      }
    />
  )
}

const logPathOf = ({ project_id: projectId, id: vmId }: Vm) =>
  apiBase + fillPath(routeOf('vm.consoleLog').path, { projectId, vmId })

function factsOf(vm: Vm): { label: string; value: ReactNode }[] {
  return [
    {
      label: 'Status',
      value: <Status word={vm.status} since={isTransitional(vm) ? vm.status_since : undefined} />,
    },
    { label: 'IP Address', value: <Address vm={vm} /> },
    { label: 'CPU', value: formatCpu(vm.cpu) },
    { label: 'RAM', value: formatMemory(vm.memory_mb) },
    {
      label: 'Template',
      value: (
        <>
          <TemplatePlate templateId={vm.template_id} size={16} />
          <span className="min-w-0">{vm.template_name}</span>
        </>
      ),
    },
    { label: 'SSH Key', value: <span className="mono min-w-0">{vm.ssh_key_name}</span> },
    { label: 'Network', value: networkOf(vm) },
    { label: 'Storage', value: vm.persistent ? 'Persistent' : 'Not persistent' },
    ...(isMember(vm) ? [{ label: 'Part of', value: <PartOf vm={vm} /> }] : []),
    { label: 'Created', value: formatDateTime(vm.created_at) },
    { label: 'In this state since', value: formatDateTime(vm.status_since) },
    {
      label: 'SSH port',
      value: <span className="mono">{vm.ip_address ? vm.ssh_port : 'None'}</span>,
    },
    {
      label: 'ID',
      value: (
        <>
          <span className="mono min-w-0">{vm.id}</span>
          <CopyButton
            text={vm.id}
            label="Copy ID"
            success="Copied to clipboard!"
            failure="Failed to copy to clipboard."
            className="-my-1"
          />
        </>
      ),
    },
  ]
}

/** The steps of the last way up with the times the server saw. */
function StartSection({ vm }: { vm: Vm }) {
  const coming = isTransitional(vm) && vm.status !== 'stopping'
  const steps = coming || vm.steps.length > 0 ? stepsOf(vm) : []
  return (
    <Sheet title={coming ? 'Starting up' : 'Last start'}>
      {steps.length > 0 ? (
        <StepList steps={steps} className="px-4 py-2.5" />
      ) : (
        <p className="px-4 py-3 text-ink-2">The server keeps no times of the last start.</p>
      )}
    </Sheet>
  )
}

function SshSection({ vm }: { vm: Vm }) {
  const [first, second] = useSshWays(vm)
  return (
    <section className="min-w-0">
      <h2 className="mb-2 text-section">SSH</h2>
      {first && vmCan.ssh(vm) === true ? (
        <div className="grid gap-2.5">
          <div>
            <SshWayTitle way={first} alone={!second} />
            <CodeLine code={first.command} {...sshCopyTexts} />
          </div>
          {second && (
            <div>
              <SshWayTitle way={second} />
              <CodeLine code={second.command} {...sshCopyTexts} copyLabel="Copy the other command" />
            </div>
          )}
        </div>
      ) : (
        <p className="text-ink-2">{noAddressText(vm)}</p>
      )}
      <p className="mt-1.5 text-hint wrap-anywhere text-ink-3">
        Password authentication is disabled. Access is by the key {vm.ssh_key_name} only.
      </p>
    </section>
  )
}

function noAddressText(vm: Vm): string {
  if (vm.status === 'stopped') return 'The VM is stopped. It has an address while it runs.'
  if (vm.ip_address && isComing(vm)) return 'The command comes here as soon as SSH answers.'
  const allowed = vmCan.ssh(vm)
  return allowed === true ? '' : allowed
}
