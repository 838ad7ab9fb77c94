import type { Vm } from '@slipway/contract'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'

/** The tags of a VM; each leads to the VMs that have it. */
export function Tags({ vm }: { vm: Vm }) {
  return (
    <ul className="flex min-w-0 flex-wrap gap-x-2.5 gap-y-1">
      {vm.tags.map((tag) => (
        <li key={tag} className="min-w-0 wrap-anywhere">
          <Link to={`${paths.vms(vm.project_id)}?tag=${encodeURIComponent(tag)}`} dir="auto">
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  )
}
