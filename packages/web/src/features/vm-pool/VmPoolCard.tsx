import { isPoolUnderWay, poolUtilization, type VmPool } from '@slipway/contract'
import { memo, useId } from 'react'
import { paths } from '../../paths.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { formatDateTime } from '../../time.ts'
import { CardFacts } from '../../ui/Card.tsx'
import { Rows } from '../../ui/Sheet.tsx'
import { GroupCardFoot, GroupCardHead, whyRow } from '../vm-group/GroupCard.tsx'
import { useInlineEdit } from '../vm-group/use-inline-edit.ts'
import { PoolGauge } from './PoolGauge.tsx'
import { PoolSizesForm } from './PoolSizesForm.tsx'
import { deletePoolDialog } from './pool-dialogs.ts'

/** Drawn again only when its own pool changed. */
export const VmPoolCard = memo(function VmPoolCard({ pool }: { pool: VmPool }) {
  const titleId = useId()
  const { editing, trigger, open, close } = useInlineEdit()
  const openDialog = useOpenDialog()
  const path = paths.vmPool(pool.project_id, pool.id)
  return (
    <article aria-labelledby={titleId} className="sheet flex h-full flex-col">
      <GroupCardHead group={pool} underWay={isPoolUnderWay(pool)} titleId={titleId} to={path} />
      {editing ? (
        <PoolSizesForm pool={pool} onClose={close} />
      ) : (
        <>
          <div className="border-t border-line px-4 pt-2 pb-2.5">
            <PoolUsage pool={pool} />
            <PoolGauge pool={pool} className="mt-2" />
          </div>
          <CardFacts
            items={[
              { label: 'Min', value: pool.min_size },
              { label: 'Desired', value: pool.desired_size },
              { label: 'Max', value: pool.max_size },
            ]}
          />
          <Rows
            className="flex-1"
            items={[
              ...whyRow(pool),
              { label: 'Auto scaling', value: pool.auto_scaling ? 'On' : 'Off' },
              { label: 'Persistent', value: pool.persistent ? 'Yes' : 'No' },
              { label: 'SSH Key', value: <span className="mono min-w-0">{pool.ssh_key_name}</span> },
              { label: 'Created', value: formatDateTime(pool.created_at) },
            ]}
          />
          <GroupCardFoot
            name={pool.name}
            to={path}
            editRef={trigger}
            onEdit={open}
            onDelete={() => openDialog(deletePoolDialog, pool.id)}
          />
        </>
      )}
    </article>
  )
})

/** How many VMs there are, what is still to come, and how much of the maximum that is. */
function PoolUsage({ pool }: { pool: VmPool }) {
  const difference = pool.desired_size - pool.current_size
  return (
    <p className="flex flex-wrap items-baseline justify-between gap-x-3 text-dense">
      <span>
        {pool.current_size} {pool.current_size === 1 ? 'VM' : 'VMs'}
        {difference !== 0 && (
          <span className="text-busy">
            , {Math.abs(difference)} to {difference > 0 ? 'come' : 'go'}
          </span>
        )}
      </span>
      <span className="text-hint text-ink-2">
        <b className="text-dense font-[550] text-ink">{poolUtilization(pool).text}</b> utilization
      </span>
    </p>
  )
}
