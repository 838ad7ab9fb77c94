import type { Vm } from '@slipway/contract'
import { useDeferredValue } from 'react'
import { useVmUsageNow } from '../../api/usage-now.ts'
import { cx } from '../../ui/cx.ts'
import { Sparkline } from './Sparkline.tsx'

interface VmSparklineProps {
  vm: Pick<Vm, 'id' | 'project_id' | 'status'>
  className?: string
}

/** How hard a VM works now and did in the last minutes; nothing for one that does not run. */
export function VmSparkline({ vm, className }: VmSparklineProps) {
  return vm.status === 'running' ? <Line vm={vm} className={className} /> : null
}

function Line({ vm, className }: Pick<VmSparklineProps, 'vm'> & { className: string | undefined }) {
  // A moment after its card: while one scrolls through thousands, cards come first.
  const usage = useDeferredValue(useVmUsageNow(vm.project_id, vm.id), undefined)
  const now = usage?.cpu.at(-1) ?? null
  if (!usage || now === null) return null
  return (
    <span className={cx('flex items-end gap-2', className)} title="CPU, last five minutes">
      <Sparkline values={usage.cpu} top={100} className="h-4 w-16 flex-none" />
      <span className="min-w-8 text-right text-label text-ink-2">
        <span className="sr-only">CPU </span>
        {now}%
      </span>
    </span>
  )
}
