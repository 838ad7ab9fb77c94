import type { Health } from '@slipway/contract'
import { formatDateTime } from '../../time.ts'
import { Cells, Sheet } from '../../ui/Sheet.tsx'

/** Backups outside the host, on the page of the health of the server. */
export function BackupSheet({ backups }: { backups: NonNullable<Health['backups']> }) {
  const { repository, schedule, running_since, next_at, last_good, last_failure } = backups
  return (
    <Sheet title="Backups">
      <Cells
        columns={4}
        items={[
          { label: 'Newest backup', value: last_good ? formatDateTime(last_good.at) : 'None yet' },
          {
            label: 'Size',
            value: last_good
              ? `${inMb(last_good.bytes)}; the repository grew by ${inMb(last_good.added_bytes)}`
              : 'Unknown',
          },
          {
            label: 'Last attempt',
            value:
              running_since !== null
                ? `Running since ${formatDateTime(running_since)}`
                : last_failure
                  ? `Failed ${formatDateTime(last_failure.at)}`
                  : last_good
                    ? 'Succeeded'
                    : 'None yet',
          },
          { label: 'Schedule', value: schedule ?? 'By hand only' },
          { label: 'Next backup', value: next_at ? formatDateTime(next_at) : 'Not scheduled' },
          { label: 'Repository', value: <span className="mono wrap-anywhere">{repository}</span> },
        ]}
      />
    </Sheet>
  )
}

const inMb = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GB` : `${Math.ceil(bytes / 1024 ** 2)} MB`
