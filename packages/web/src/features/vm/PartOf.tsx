import type { WithGroup } from '@slipway/contract'
import { Link } from 'react-router'
import { useListedVmPool } from '../../api/vm-pools.ts'
import { useListedVmSet } from '../../api/vm-sets.ts'
import { paths } from '../../paths.ts'

type Member = WithGroup & { project_id: string }

/** The pool or set of a VM; null for one that stands alone. The name is unknown until the list is there. */
export function useGroupOf({ project_id, vmpool_id, vmset_id }: Member) {
  const pool = useListedVmPool(project_id, vmpool_id)
  const set = useListedVmSet(project_id, vmset_id)
  if (vmpool_id !== null)
    return { kind: 'pool', name: pool?.name, path: paths.vmPool(project_id, vmpool_id) } as const
  if (vmset_id !== null)
    return { kind: 'set', name: set?.name, path: paths.vmSet(project_id, vmset_id) } as const
  return null
}

/** `pool web`, with the way there. */
export function PartOf({ vm }: { vm: Member }) {
  const group = useGroupOf(vm)
  if (!group) return null
  return (
    <span className="min-w-0">
      {group.kind}{' '}
      <Link to={group.path} className="link" dir="auto">
        {group.name ?? (group.kind === 'pool' ? 'VM Pool' : 'VM Set')}
      </Link>
    </span>
  )
}
