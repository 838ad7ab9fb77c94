import { isPoolUnderWay, messages, poolUtilization, type Vm, type VmPool } from '@slipway/contract'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { useMeanCpuNow } from '../../api/usage.ts'
import { useVmPool, useVmPoolHistory } from '../../api/vm-pools.ts'
import { paths } from '../../paths.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Cells, Sheet, StatStrip } from '../../ui/Sheet.tsx'
import { Status, StatusGlyph } from '../../ui/Status.tsx'
import { GroupUsage } from '../usage/GroupUsage.tsx'
import { GroupCharts } from '../vm-group/GroupCharts.tsx'
import { GroupEvents } from '../vm-group/GroupEvents.tsx'
import { GroupHeader } from '../vm-group/GroupHeader.tsx'
import { GroupNote } from '../vm-group/GroupNote.tsx'
import { GroupScope } from '../vm-group/GroupScope.tsx'
import { factsOf } from '../vm-group/group-facts.tsx'
import { loadText } from '../vm-group/group-samples.ts'
import { Members } from '../vm-group/Members.tsx'
import { useInlineEdit } from '../vm-group/use-inline-edit.ts'
import { PoolDialogs } from './PoolDialogs.tsx'
import { PoolGauge } from './PoolGauge.tsx'
import { PoolSizesForm } from './PoolSizesForm.tsx'
import { deletePoolDialog } from './pool-dialogs.ts'
import { differenceText, policyText } from './pool-words.ts'

const poolKind = { plural: 'VM pools', isUnderWay: isPoolUnderWay }

const texts = {
  title: 'VM Pool',
  loading: 'Loading VM Pool...',
  failed: 'Failed to load VM Pool data. Please try again.',
  notLoaded: 'VM Pool not loaded',
  notFound: messages.vmPoolNotFound,
  none: 'There is no such VM pool',
}

export function Component() {
  const { projectId = '', vmpoolId = '' } = useParams()
  const query = useVmPool(projectId, vmpoolId)
  const list = { path: paths.vmPools(projectId), back: 'Back to VM Pools', view: 'View VM Pools' }
  return (
    <GroupScope key={vmpoolId} query={query} list={list} texts={texts}>
      {(pool) => <PoolView pool={pool} list={list} refetch={async () => !(await query.refetch()).isError} />}
    </GroupScope>
  )
}

interface PoolViewProps {
  pool: VmPool & { vms: Vm[] }
  list: { path: string; back: string }
  refetch: () => Promise<boolean>
}

function PoolView({ pool, list, refetch }: PoolViewProps) {
  const history = useVmPoolHistory(pool.project_id, pool.id)
  const cpuNow = useMeanCpuNow(pool.project_id, pool.vms)
  const { editing, trigger, open, close } = useInlineEdit()
  const openDialog = useOpenDialog()
  useAnnouncedChanges(
    useMemo(() => [pool], [pool]),
    poolKind,
  )
  const underWay = isPoolUnderWay(pool)
  return (
    <>
      <GroupHeader
        group={pool}
        list={list}
        refresh={async () => (await Promise.all([refetch(), history.refetch()]))[0]}
        failed={texts.failed}
        editing={editing}
        onEdit={open}
        editRef={trigger}
        onDelete={() => openDialog(deletePoolDialog, pool.id)}
      />
      <GroupNote
        group={pool}
        underWay={underWay}
        underWayWord="Scaling"
        underWayText={differenceText(pool) ?? 'The pool is brought to its desired size'}
        subject="The pool"
      />
      <div className="mb-4 grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1.15fr)_minmax(0,1fr)]">
        <Sheet aria-label="Size" className="flex flex-col">
          {underWay && <WorkTrack label={`${pool.name}: ${pool.status}`} />}
          <div className="flex items-center justify-between gap-3 px-4 pt-3 pb-2.5">
            <Status word={pool.status} since={underWay ? pool.status_since : undefined} />
            <p className="text-hint text-ink-2">
              <b className="text-[1.25rem]/6 font-medium tracking-[-.015em] text-ink">
                {poolUtilization(pool).text}
              </b>{' '}
              utilization
            </p>
          </div>
          {editing ? (
            <PoolSizesForm pool={pool} onClose={close} />
          ) : (
            <PoolGauge pool={pool} labelled className="mx-2.5 mt-auto mb-4" />
          )}
        </Sheet>
        <Sheet aria-label="Information">
          <Cells columns={2} items={factsOf(pool)} />
        </Sheet>
      </div>
      <Statistics pool={pool} load={loadText(history.data?.samples, cpuNow)} />
      <Members
        vms={pool.vms}
        wanted={pool.desired_size}
        none="The pool has no VMs yet. Each one is listed here as soon as it is created."
      />
      <GroupCharts
        samples={history.data?.samples}
        sizeLimits={useSizeLimits(pool)}
        cpuLimits={useThresholds(pool, history.data)}
        className="mb-4"
      />
      <GroupUsage of={{ project: pool.project_id, pool: pool.id }} vms={pool.vms} className="mb-4" />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_336px]">
        <Autoscaler pool={pool} history={history.data} className="lg:order-last" />
        <GroupEvents events={history.data?.events} failed={history.isError} />
      </div>
      <PoolDialogs pools={[pool]} afterDelete={list.path} />
    </>
  )
}

function Statistics({ pool, load }: { pool: VmPool & { vms: Vm[] }; load: string }) {
  const running = pool.vms.filter(({ status }) => status === 'running').length
  return (
    <StatStrip
      label="VM pool in numbers"
      className="mb-4"
      items={[
        { label: 'Current VMs', value: pool.current_size, note: `of ${pool.max_size}` },
        { label: 'Running VMs', value: running, glyph: <StatusGlyph word="running" /> },
        { label: 'Desired Size', value: pool.desired_size },
        { label: 'CPU Load', value: load },
      ]}
    />
  )
}

type History = NonNullable<ReturnType<typeof useVmPoolHistory>['data']>

function useSizeLimits({ min_size, max_size }: VmPool) {
  return useMemo(
    () => [
      { label: `max ${max_size}`, value: max_size },
      // Zero is the floor of the drawing.
      ...(min_size > 0 ? [{ label: `min ${min_size}`, value: min_size }] : []),
    ],
    [max_size, min_size],
  )
}

/** Where the autoscaler begins to act; none while it is off. */
function useThresholds({ auto_scaling }: VmPool, history: History | undefined) {
  const { up_above, down_below } = history?.policy ?? {}
  return useMemo(
    () =>
      auto_scaling && up_above !== undefined && down_below !== undefined
        ? [
            { label: `add above ${up_above}%`, value: up_above },
            { label: `remove below ${down_below}%`, value: down_below },
          ]
        : [],
    [auto_scaling, up_above, down_below],
  )
}

/** What the autoscaler goes by, and what it thought last. */
function Autoscaler({
  pool,
  history,
  className,
}: {
  pool: VmPool
  history: History | undefined
  className: string
}) {
  return (
    <Sheet title="Auto scaling" actions={pool.auto_scaling ? 'On' : 'Off'} className={className}>
      <div className="grid gap-1.5 px-4 py-3">
        {pool.auto_scaling ? (
          <>
            {history?.verdict && <p className="font-medium wrap-anywhere">{history.verdict}</p>}
            <p className="text-ink-2">{history ? policyText(history.policy, pool) : 'Loading history...'}</p>
          </>
        ) : (
          <p className="text-ink-2">
            The size changes only when somebody changes it. VMs that break are replaced all the same.
          </p>
        )}
      </div>
    </Sheet>
  )
}
