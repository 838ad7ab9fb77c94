import { formatCpu, formatMemory, isMember, isTransitional, networkOf, type Vm } from '@slipway/contract'
import type { ReactNode } from 'react'
import { formatDateTime } from '../../time.ts'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { Status } from '../../ui/Status.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { PartOf } from './PartOf.tsx'
import { Address } from './VmCard.tsx'

/** Everything there is to know about a VM, for its title block. */
export function factsOf(vm: Vm): { label: string; value: ReactNode }[] {
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
    { label: 'ID', value: <CopyLine text={vm.id} label="Copy ID" /> },
  ]
}
