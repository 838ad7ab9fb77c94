import {
  formatCpu,
  formatMemory,
  isMember,
  isTransitional,
  networkOf,
  sshKeyDueText,
  type Vm,
  vmSizeDueText,
} from '@slipway/contract'
import type { ReactNode } from 'react'
import { formatDateTime } from '../../time.ts'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { Status } from '../../ui/Status.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { PartOf } from './PartOf.tsx'
import { Tags } from './Tags.tsx'
import { Address } from './VmCard.tsx'

/** What it has, and what it is to have. */
const sizeText = (
  format: (amount: number) => string,
  { size_due }: Vm,
  has: number,
  next: number | null,
): string =>
  next === null || size_due === null
    ? format(has)
    : `${format(has)}, ${format(next)} ${vmSizeDueText[size_due]}`

/** Of one as large as its template makes it nothing is said. */
function rootDiskFact({
  root_disk_gb: has,
  next_root_disk_gb: next,
}: Vm): { label: string; value: string }[] {
  if (has === null && next === null) return []
  const value =
    next === null
      ? `${has}Gi`
      : has === null
        ? `Being enlarged to ${next}Gi`
        : `${has}Gi, being enlarged to ${next}Gi`
  return [{ label: 'Root disk', value }]
}

/** Everything there is to know about a VM, for its title block. */
export function factsOf(vm: Vm): { label: string; value: ReactNode }[] {
  return [
    {
      label: 'Status',
      value: <Status word={vm.status} since={isTransitional(vm) ? vm.status_since : undefined} />,
    },
    { label: 'IP Address', value: <Address vm={vm} /> },
    { label: 'CPU', value: sizeText(formatCpu, vm, vm.cpu, vm.next_cpu) },
    { label: 'RAM', value: sizeText(formatMemory, vm, vm.memory_mb, vm.next_memory_mb) },
    {
      label: 'Template',
      value: (
        <>
          <TemplatePlate templateId={vm.template_id} size={16} />
          <span className="min-w-0">{vm.template_name}</span>
        </>
      ),
    },
    {
      label: 'SSH Key',
      value: (
        <span className="min-w-0">
          <span className="mono">{vm.ssh_key_name}</span>
          {vm.ssh_key_due !== null && `, ${sshKeyDueText[vm.ssh_key_due]}`}
        </span>
      ),
    },
    { label: 'Network', value: networkOf(vm) },
    { label: 'Storage', value: vm.persistent ? 'Persistent' : 'Not persistent' },
    ...rootDiskFact(vm),
    ...(isMember(vm) ? [{ label: 'Part of', value: <PartOf vm={vm} /> }] : []),
    ...(vm.tags.length > 0 ? [{ label: 'Tags', value: <Tags vm={vm} /> }] : []),
    ...(vm.delete_protection ? [{ label: 'Deletion', value: 'Protected' }] : []),
    { label: 'Created', value: formatDateTime(vm.created_at) },
    { label: 'In this state since', value: formatDateTime(vm.status_since) },
    {
      label: 'SSH port',
      value: <span className="mono">{vm.ip_address ? vm.ssh_port : 'None'}</span>,
    },
    { label: 'ID', value: <CopyLine text={vm.id} label="Copy ID" /> },
  ]
}
