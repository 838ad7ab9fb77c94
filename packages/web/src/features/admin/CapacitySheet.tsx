import { formatGb, formatMemory } from '@slipway/contract'
import { useCapacity } from '../../api/admin.ts'
import { errorText } from '../../api/errors.ts'
import { formatDateTime } from '../../time.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { inBinsText } from './health-words.ts'

/** What the host has, what takes it, and when its disk is full at this rate. */
export function CapacitySheet() {
  const { data: capacity, error, refetch } = useCapacity()
  if (error)
    return (
      <ErrorState
        title="Error Loading Capacity"
        message={errorText(error, 'Failed to load the capacity. Please try again.')}
        onRetry={() => void refetch()}
      />
    )
  if (!capacity) return null
  const { disk, running, all, stored, reserve, in_bins } = capacity
  return (
    <Sheet title="Capacity">
      <Cells
        columns={4}
        items={[
          {
            label: 'Free memory for VMs',
            value: capacity.free_memory_mb === null ? 'Not reported' : formatMemory(capacity.free_memory_mb),
          },
          { label: 'Memory of running VMs', value: formatMemory(running.memory_mb) },
          { label: 'Memory of all VMs', value: formatMemory(all.memory_mb) },
          {
            label: 'Processors of running VMs',
            value: `${running.processors} on ${capacity.processors} of the host`,
          },
          { label: 'VMs', value: `${running.vms} running of ${all.vms}` },
          ...(reserve
            ? [
                {
                  label: 'Kept ready for new VMs',
                  value:
                    reserve.guests === 0
                      ? 'None'
                      : `${reserve.guests}, with ${formatMemory(Math.round(reserve.memory_mb))}`,
                },
              ]
            : []),
          { label: 'Data disks', value: `${formatGb(stored.disks_bytes)}, if full` },
          { label: 'Snapshots of VMs', value: formatGb(stored.vm_snapshots_bytes) },
          { label: 'Snapshots of disks', value: formatGb(stored.disk_snapshots_bytes) },
          { label: 'Of these in bins', value: inBinsText(in_bins) },
          { label: 'Free disk space', value: disk ? formatMb(disk.free_mb) : 'Cannot be read' },
          { label: 'Growth', value: growthText(disk?.growth_mb_per_day ?? null) },
          {
            label: 'Disk full at this rate',
            value: disk?.full_at
              ? formatDateTime(disk.full_at)
              : (disk?.growth_mb_per_day ?? null) === null
                ? 'Not known yet'
                : 'Not within a year',
          },
        ]}
      />
    </Sheet>
  )
}

const formatMb = (mb: number): string => formatGb(mb * 1024 ** 2)

function growthText(mbPerDay: number | null): string {
  if (mbPerDay === null) return 'Known after an hour'
  return `${mbPerDay < 0 ? '-' : ''}${formatMb(Math.abs(mbPerDay))} a day`
}
