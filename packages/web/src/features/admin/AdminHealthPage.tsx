import type { Health, ReconcilerHealth } from '@slipway/contract'
import { useHealth } from '../../api/admin.ts'
import { errorText } from '../../api/errors.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { ExportActivity } from '../activity/ExportActivity.tsx'
import { BackupSheet } from './BackupSheet.tsx'
import { CapacitySheet } from './CapacitySheet.tsx'
import { durationText, reconcilerNote } from './health-words.ts'
import { MailSheet } from './MailSheet.tsx'
import { NoticeSheet } from './NoticeSheet.tsx'

export function Component() {
  const { data: health, isPending, error, refetch } = useHealth()
  return (
    <>
      <PageHeader
        title="Health"
        description="How the server is, and the reconcilers that make what people request come true."
        actions={<ExportActivity />}
      />
      {isPending && <LoadingState text="Loading health..." outline="rows" />}
      {error && (
        <ErrorState
          title="Error Loading Health"
          message={errorText(error, 'Failed to load the health of the server. Please try again.')}
          onRetry={() => void refetch()}
        />
      )}
      {health && !error && (
        <div className="grid gap-5">
          {health.problems.map((problem) => (
            <Banner key={problem} tone="warn">
              {problem}
            </Banner>
          ))}
          <ServerSheet health={health} />
          <CapacitySheet />
          {health.backups && <BackupSheet backups={health.backups} />}
          <MailSheet />
          <Reconcilers health={health} />
          <NoticeSheet />
        </div>
      )}
    </>
  )
}

function ServerSheet({ health }: { health: Health }) {
  const { process, data_directory: disk, engine, driver } = health
  return (
    <Sheet title="Server">
      <Cells
        columns={4}
        items={[
          { label: 'Status', value: health.status === 'ok' ? 'Healthy' : 'Degraded' },
          { label: 'Started', value: formatDateTime(process.started_at) },
          { label: 'Memory of the server', value: `${process.memory_mb} MB` },
          {
            label: 'Data directory',
            value: disk ? `${toGb(disk.free_mb)} free of ${toGb(disk.size_mb)}` : 'Cannot be read',
          },
          { label: 'Engine', value: [engine.kind, engine.accelerator].filter(Boolean).join(' with ') },
          {
            label: 'Engine responds in',
            value: engine.answer_ms === null ? 'No response' : durationText(engine.answer_ms),
          },
          { label: 'Unhandled errors', value: process.uncaught_errors },
          {
            label: 'Driving server',
            value: driver.is_this_server ? 'This server' : (driver.server ?? 'None'),
          },
        ]}
      />
    </Sheet>
  )
}

const toGb = (mb: number): string => `${(mb / 1024).toFixed(1)} GB`

function Reconcilers({ health: { reconcilers, driver } }: { health: Health }) {
  return (
    <Sheet title="Reconcilers">
      {reconcilers.length === 0 ? (
        <p className="px-4 py-3 text-ink-2">
          {driver.server === null
            ? 'No server drives now.'
            : `They work on the server that drives: ${driver.server}.`}
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {reconcilers.map((reconciler) => (
            <ReconcilerRow key={reconciler.name} reconciler={reconciler} />
          ))}
        </ul>
      )}
    </Sheet>
  )
}

function ReconcilerRow({ reconciler }: { reconciler: ReconcilerHealth }) {
  const { name, last_look_at, last_look_ms, longest_look_ms, working, queued, last_failure } = reconciler
  const note = reconcilerNote(reconciler)
  return (
    <li className="px-4 py-3">
      <h3 className="flex items-center gap-2 text-body font-[550]">
        <StatusGlyph word={note === null ? 'ready' : 'error'} />
        {name}
      </h3>
      {note !== null && <p className="mt-0.5 text-dense text-bad wrap-anywhere">{note}</p>}
      <p className="mt-0.5 text-hint text-ink-2">
        {last_look_at === null
          ? 'Not looked at anything yet.'
          : `Last look ${formatDateTime(last_look_at)}, took ${durationText(last_look_ms ?? 0)}; the longest ${durationText(longest_look_ms)}.`}{' '}
        {working} under way, {queued} waiting.
      </p>
      {last_failure && (
        <p className="mt-0.5 text-hint wrap-anywhere text-ink-2">
          Last failure {formatDateTime(last_failure.at)}
          {last_failure.id !== null && (
            <>
              {' '}
              at <span className="mono">{last_failure.id}</span>
            </>
          )}
          : {last_failure.message}
        </p>
      )}
    </li>
  )
}
