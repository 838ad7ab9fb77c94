import type { Network } from '@slipway/contract'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { Names } from './Names.tsx'

interface GroupNamesProps {
  projectId: string
  groups: Network['groups']
}

/** The names of pools and sets, each with whom it means now. */
export function GroupNames({ projectId, groups }: GroupNamesProps) {
  return (
    <section aria-labelledby="groups" className="mb-6">
      <h2 id="groups" className="mb-3 text-section">
        Pools and sets
      </h2>
      <ul className="sheet divide-y divide-line" aria-labelledby="groups">
        {groups.map(({ group_id, group_name, kind, names, vm_ids }) => (
          <li
            key={group_id}
            className="grid items-center gap-x-4 gap-y-1.5 px-4 py-3 text-dense md:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_minmax(0,1fr)]"
          >
            <h3 className="text-body font-[550] wrap-anywhere">
              <Link
                to={(kind === 'vm_pool' ? paths.vmPool : paths.vmSet)(projectId, group_id)}
                className="text-ink no-underline hover:text-accent hover:underline phone:block phone:py-2.5"
              >
                <bdi>{group_name}</bdi>
              </Link>
            </h3>
            <div className="min-w-0 wrap-anywhere">
              <Names names={names} />
            </div>
            <p className="text-hint text-ink-2">{meaning(vm_ids.length)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function meaning(running: number): string {
  if (running === 0) return 'Means no VM, because no member is running.'
  return running === 1 ? 'Means the 1 running member.' : `Means all ${running} running members.`
}
