import type { Vm } from '@slipway/contract'
import { UsageSheet } from './UsageSheet.tsx'

const measures = ['cpu', 'memory', 'disk', 'network'] as const

/** What a VM uses, on its page. */
export function VmUsage({ vm, className }: { vm: Vm; className?: string }) {
  return (
    <UsageSheet
      key={vm.id}
      of={{ project: vm.project_id, vm: vm.id }}
      measures={measures}
      running={vm.status === 'running'}
      memoryMb={vm.memory_mb}
      texts={{
        off: 'The VM was not running.',
        untold: 'Not reported by the guest.',
      }}
      className={className ?? ''}
    />
  )
}
