import { formatCpu, formatMemory, isTransitional, networkOf, sshCommand, type Vm } from '@slipway/contract'
import { Ellipsis } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { IconButton } from '../../ui/Button.tsx'
import { CardAction, CardFacts, CardFoot } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Rows } from '../../ui/Sheet.tsx'
import { Status } from '../../ui/Status.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import {
  detailsEntry,
  ipCopyTexts,
  menuEntry,
  sshCopyTexts,
  useVmActions,
  type VmActionItem,
} from './vm-actions.tsx'
import { currentStep, progressOf } from './vm-steps.ts'

export function VmCard({ vm }: { vm: Vm }) {
  const { actions, dialogs } = useVmActions(vm)
  const titleId = useId()
  return (
    <article aria-labelledby={titleId} className="sheet flex h-full flex-col">
      <div className="grid flex-1 grid-cols-[minmax(0,1fr)_auto] content-start gap-y-1 py-3 pr-2.5 pl-4 md:min-h-24">
        <Status word={vm.status} since={isTransitional(vm) ? vm.status_since : undefined} className="mt-1" />
        <Menu
          label={`Actions for ${vm.name}`}
          trigger={
            <IconButton
              size="sm"
              label={`More actions for ${vm.name}`}
              icon={<Ellipsis size={16} strokeWidth={1.6} aria-hidden />}
            />
          }
          items={[
            detailsEntry(vm),
            menuEntry(actions.ssh),
            'separator',
            menuEntry(actions.restart),
            menuEntry(actions.forceStop),
            'separator',
            menuEntry(actions.delete, true),
          ]}
        />
        <h3 id={titleId} className="col-span-2 pr-1.5 text-card wrap-anywhere">
          <Link
            to={paths.vm(vm.project_id, vm.id)}
            className="text-ink no-underline hover:underline"
            dir="auto"
          >
            {vm.name}
          </Link>
        </h3>
        <p className="col-span-2 flex items-start gap-[7px] text-hint text-ink-2">
          <TemplatePlate templateId={vm.template_id} size={16} className="mt-px" />
          <span className="min-w-0 wrap-anywhere">{vm.template_name}</span>
        </p>
      </div>
      {isTransitional(vm) && <WorkTrack label={`${vm.name}: ${vm.status}`} value={progressOf(vm)} />}
      <CardFacts
        items={[
          { label: 'CPU', value: formatCpu(vm.cpu) },
          { label: 'RAM', value: formatMemory(vm.memory_mb) },
          { label: 'Network', value: <Network vm={vm} /> },
        ]}
      />
      <Rows
        items={[
          stateRow(vm),
          { label: 'SSH Key', value: <KeyName vm={vm} /> },
          { label: 'Created', value: formatDateTime(vm.created_at) },
        ]}
      />
      <CardFoot>
        <FootAction action={actions.power} />
        <FootAction action={actions.console} />
      </CardFoot>
      {dialogs}
    </article>
  )
}

function FootAction({ action }: { action: VmActionItem }) {
  return (
    <CardAction
      icon={action.icon}
      busy={action.busy}
      disabledReason={action.disabledReason}
      onClick={action.run}
    >
      {action.label}
    </CardAction>
  )
}

function Network({ vm }: { vm: Vm }) {
  const word = networkOf(vm)
  return word === 'Active' ? word : <span className="text-ink-3">{word}</span>
}

/** The address; where there is none, what the VM is doing or why it failed. */
function stateRow(vm: Vm): { label: string; value: ReactNode; tone?: 'bad' } {
  const status = vm.status.toLowerCase()
  if (status === 'failed' || status === 'error') {
    return {
      label: 'Why',
      value: <span className="text-hint">{vm.status_message ?? 'The server gave no reason.'}</span>,
      tone: 'bad',
    }
  }
  const step = currentStep(vm)
  if (step && !(status === 'stopping' && vm.ip_address)) return { label: 'Step', value: step }
  return { label: 'IP Address', value: <Address vm={vm} /> }
}

/** The address with its copy action. */
export function Address({ vm }: { vm: Vm }) {
  if (!vm.ip_address) {
    return <span className="text-ink-3">None{vm.status === 'stopped' && ' while stopped'}</span>
  }
  return (
    <>
      <span className="mono min-w-0 wrap-anywhere">{vm.ip_address}</span>
      <CopyButton
        text={vm.ip_address}
        {...ipCopyTexts}
        className="-my-1 ml-auto phone:-my-2.5 phone:-mr-2.5"
      />
    </>
  )
}

function KeyName({ vm }: { vm: Vm }) {
  const command = vm.status === 'running' ? sshCommand(vm) : null
  const { copyLabel, ...texts } = sshCopyTexts
  return (
    <>
      <span className="mono min-w-0 wrap-anywhere">{vm.ssh_key_name}</span>
      {command && (
        <CopyButton
          text={command}
          label={copyLabel}
          {...texts}
          className="-my-1 ml-auto phone:-my-2.5 phone:-mr-2.5"
        />
      )}
    </>
  )
}
