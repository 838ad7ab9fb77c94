import type { VmSet } from '@slipway/contract'
import { cx } from '../../ui/cx.ts'

/** One mark for each VM of a set: filled runs, open exists, phantom is to come. A set has at most twenty. */
export function ReplicaMarks({
  set: { replicas, vm_stats },
  className,
}: {
  set: Pick<VmSet, 'replicas' | 'vm_stats'>
  className?: string
}) {
  const { total_vms, running_vms } = vm_stats
  const marks = Array.from(
    { length: Math.max(replicas, total_vms) },
    (_, i) =>
      ({
        x: i * 16 + 0.75,
        mark: i < running_vms ? 'running' : i < total_vms ? 'there' : 'to come',
      }) as const,
  )
  return (
    <svg
      role="img"
      aria-label={`${running_vms} of ${replicas} VMs run, ${total_vms} exist`}
      width={marks.length * 16 - 4}
      height="12"
      className={cx('max-w-full forced-color-adjust-none', className)}
    >
      {marks.map(({ x, mark }) => (
        <rect
          key={x}
          x={x}
          y=".75"
          width="10.5"
          height="10.5"
          rx="1"
          fill={mark === 'running' ? 'currentColor' : 'none'}
          stroke="currentColor"
          strokeWidth={mark === 'to come' ? 1 : 1.5}
          strokeDasharray={mark === 'to come' ? '3 1.6 .8 1.6' : undefined}
          className={markTones[mark]}
        />
      ))}
    </svg>
  )
}

const markTones = { running: 'text-ok-mark', there: 'text-busy-mark', 'to come': 'text-busy' }
