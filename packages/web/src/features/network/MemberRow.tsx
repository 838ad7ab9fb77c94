import type { NetworkMember } from '@slipway/contract'
import { memo } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { LedgerRow } from '../../ui/Ledger.tsx'
import { Status } from '../../ui/Status.tsx'
import { Names } from './Names.tsx'

export const memberColumns = [
  { label: 'Name', width: 'minmax(0,1fr)' },
  { label: 'Status', width: '7.75rem' },
  { label: 'Address', width: '11rem' },
  { label: 'Names', width: 'minmax(0,1.4fr)' },
]

interface MemberRowProps {
  projectId: string
  member: NetworkMember
  /** Of the VM, once it is known. */
  status: string | undefined
}

/** Drawn again only when its own VM changed. */
export const MemberRow = memo(function MemberRow({ projectId, member, status }: MemberRowProps) {
  const { vm_id, vm_name, address, names } = member
  return (
    <LedgerRow
      name={vm_name}
      link={<Link to={paths.vm(projectId, vm_id)} />}
      status={status && <Status word={status} />}
      facts={[
        {
          label: 'Address',
          value: address ? (
            <span className="flex min-w-0 items-center gap-1.5 phone:-my-1">
              <CopyLine text={address} label={`Copy address of ${vm_name}`} />
            </span>
          ) : (
            <span className="text-ink-3">Not known yet</span>
          ),
        },
        { label: 'Names', value: <Names names={names} /> },
      ]}
      actions={null}
    />
  )
})
