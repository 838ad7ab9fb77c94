import type { VmPool } from '@slipway/contract'
import { Sheet } from '../../ui/Sheet.tsx'
import type { PoolHistory } from './pool-kind.ts'
import { policyText } from './pool-words.ts'

/** What the autoscaler goes by, and what it thought last. */
export function Autoscaler({
  pool,
  history,
  className,
}: {
  pool: VmPool
  history: PoolHistory | undefined
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
