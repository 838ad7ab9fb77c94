import type { Vm } from '@slipway/contract'
import type { UsageOf } from '../../api/usage.ts'
import { UsageSheet } from './UsageSheet.tsx'

// Its load stands beside its size.
const measures = ['memory', 'disk', 'network'] as const

interface GroupUsageProps {
  of: UsageOf
  vms: readonly Vm[]
  className?: string
}

/** What the VMs of a pool or set use together, on its page. */
export function GroupUsage({ of, vms, className }: GroupUsageProps) {
  return (
    <UsageSheet
      of={of}
      measures={measures}
      running={vms.some(({ status }) => status === 'running')}
      texts={{ off: 'None of its VMs were running.', untold: 'Not reported by the guests.' }}
      className={className ?? ''}
    />
  )
}
