import { formatCpu, formatMemory, isMember, isTransitional, networkOf, type Vm } from '@slipway/contract'
import { Ellipsis } from 'lucide-react'
import { memo, type ReactNode, useId } from 'react'
import { Link } from 'react-router'
import { useHost } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { WhyText } from '../../shell/Why.tsx'
import { formatDateTime } from '../../time.ts'
import { IconButton } from '../../ui/Button.tsx'
import { CardAction, CardFacts, CardFoot } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { cx } from '../../ui/cx.ts'
import { later } from '../../ui/later.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Rows } from '../../ui/Sheet.tsx'
import { Status } from '../../ui/Status.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { VmSparkline } from '../usage/VmSparkline.tsx'
import { insideOnly, sshCopyTexts } from './ssh-words.ts'
import { Tags } from './Tags.tsx'
import { sshCommandNow } from './use-ssh-ways.ts'
import { ipCopyTexts, useVmActions, type VmActionItem, vmMenu } from './vm-actions.tsx'
import { currentStep, progressOf } from './vm-steps.ts'

// Most VMs stand alone.
const PartOf = later(async () => (await import('./PartOf.tsx')).PartOf)

/** Drawn again only when its own VM changed: a list may have a thousand of them. */
export const VmCard = memo(function VmCard({ vm }: { vm: Vm }) {
  const actions = useVmActions(vm)
  const titleId = useId()
  return (
    <article aria-labelledby={titleId} className="sheet flex h-full flex-col">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] content-start gap-y-1 py-3 pr-2.5 pl-4 md:min-h-24">
        <div className="flex items-start justify-between gap-3">
          <Status
            word={vm.status}
            since={isTransitional(vm) ? vm.status_since : undefined}
            className="mt-1"
          />
          <VmSparkline vm={vm} className="mt-1.5 mr-1" />
        </div>
        <Menu
          label={`Actions for ${vm.name}`}
          trigger={
            <IconButton
              size="sm"
              label={`More actions for ${vm.name}`}
              icon={<Ellipsis size={16} strokeWidth={1.6} aria-hidden />}
            />
          }
          items={vmMenu(vm, actions)}
        />
        <h2 id={titleId} className="col-span-2 pr-1.5 text-card wrap-anywhere">
          <Link
            to={paths.vm(vm.project_id, vm.id)}
            className="text-ink no-underline hover:underline"
            dir="auto"
          >
            {vm.name}
          </Link>
        </h2>
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
        // The copy buttons stand one under the other at the right edge.
        className="flex-1 [&_button]:ml-auto phone:[&_button]:-mr-2.5"
        items={[
          stateRow(vm),
          ...(isMember(vm) ? [{ label: 'Part of', value: <PartOf vm={vm} /> }] : []),
          ...(vm.persistent
            ? []
            : [{ label: 'Storage', value: 'Not persistent: root disk is reset when it stops' }]),
          { label: 'SSH Key', value: <KeyName vm={vm} /> },
          ...(vm.tags.length > 0 ? [{ label: 'Tags', value: <Tags vm={vm} /> }] : []),
          { label: 'Created', value: formatDateTime(vm.created_at) },
        ]}
      />
      <CardFoot>
        <FootAction action={actions.power} />
        <FootAction action={actions.console} />
      </CardFoot>
    </article>
  )
})

/** Stands for a card until it is drawn: which VM it will be, and how it is. */
export function VmCardOutline({ vm, height }: { vm: Vm; height: number }) {
  return (
    <article aria-label={vm.name} className="sheet py-3 pr-2.5 pl-4" style={{ height }}>
      <Status word={vm.status} className="mt-1" />
      <p className="mt-1 truncate text-card" dir="auto">
        {vm.name}
      </p>
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
      {...(action.to && !action.disabledReason && { render: <Link to={action.to} /> })}
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
  if (vm.status === 'failed' || vm.status === 'error') {
    return {
      label: 'Why',
      value: <WhyText tone="failed" reason={vm.status_message} since={vm.status_since} />,
      tone: 'bad',
    }
  }
  const step = currentStep(vm)
  if (step) return { label: 'Step', value: step }
  return { label: 'IP Address', value: <Address vm={vm} /> }
}

/** The address with its copy action, and where it answers if that is not where one might be. */
export function Address({ vm }: { vm: Vm }) {
  const isInside = useHost()?.addresses === 'inside'
  if (!vm.ip_address) {
    return <span className="text-ink-3">None{restingWord(vm)}</span>
  }
  return (
    <Copyable text={vm.ip_address} {...ipCopyTexts} note={isInside ? insideOnly : undefined}>
      {vm.ip_address}
    </Copyable>
  )
}

const restingWord = ({ status }: Vm): string =>
  status === 'stopped' || status === 'suspended' ? ` while ${status}` : ''

function KeyName({ vm }: { vm: Vm }) {
  if (vm.status !== 'running' || !vm.ip_address)
    return <span className="mono min-w-0">{vm.ssh_key_name}</span>
  const { copyLabel, ...texts } = sshCopyTexts
  return (
    <Copyable text={() => sshCommandNow(vm)} label={copyLabel} caption="SSH connection" {...texts}>
      {vm.ssh_key_name}
    </Copyable>
  )
}

type CopyableProps = Omit<Parameters<typeof CopyButton>[0], 'className'> & {
  children: ReactNode
  /** What to know about the text, below it. */
  note?: string | undefined
}

/** A short text with its copy button, which takes no height of its own. */
function Copyable({ children, note, ...copy }: CopyableProps) {
  return (
    <>
      <span className="min-w-0">
        <span className="mono wrap-anywhere">{children}</span>
        {note && <span className="block text-label text-ink-3">{note}</span>}
      </span>
      <CopyButton {...copy} className={cx('-my-1 phone:-my-2.5', note && 'self-start')} />
    </>
  )
}
