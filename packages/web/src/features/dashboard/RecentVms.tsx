import { isTransitional, type Project, type Vm } from '@slipway/contract'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Sheet } from '../../ui/Sheet.tsx'
import { Status } from '../../ui/Status.tsx'
import { VmSparkline } from '../usage/VmSparkline.tsx'

export function RecentVms({ project, vms }: { project: Project; vms: Vm[] }) {
  return (
    <Sheet
      title="Recent Virtual Machines"
      actions={
        <Link
          to={paths.vms(project.id)}
          className="text-dense font-medium text-accent no-underline hover:underline"
        >
          View all
        </Link>
      }
    >
      <ul className="@container divide-y divide-line">
        {vms.map((vm) => (
          <RecentVm key={vm.id} vm={vm} />
        ))}
      </ul>
    </Sheet>
  )
}

function RecentVm({ vm }: { vm: Vm }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2.5 @min-[600px]:grid-cols-[minmax(0,1fr)_9.5rem_10.5rem_auto] @min-[760px]:grid-cols-[minmax(0,1fr)_9.5rem_7rem_10.5rem_auto]">
      <div className="min-w-0">
        <p className="truncate font-[550]" title={vm.name}>
          <Link
            to={paths.vm(vm.project_id, vm.id)}
            className="text-ink no-underline hover:underline"
            dir="auto"
          >
            {vm.name}
          </Link>
        </p>
        <p className="truncate text-hint text-ink-3">{vm.template_name}</p>
        {isTransitional(vm) && vm.status_message && (
          <p className="text-hint wrap-anywhere text-ink-2">{vm.status_message}</p>
        )}
      </div>
      <Status
        word={vm.status}
        since={isTransitional(vm) ? vm.status_since : undefined}
        className="self-start justify-self-end @min-[600px]:self-center @min-[600px]:justify-self-start"
      />
      <span className="hidden @min-[760px]:block">
        <VmSparkline vm={vm} />
      </span>
      <p className="text-dense text-ink-2">
        <span className="sr-only">Created </span>
        {formatDateTime(vm.created_at)}
      </p>
      <Link
        to={paths.vm(vm.project_id, vm.id)}
        className="justify-self-end py-2 text-dense font-medium whitespace-nowrap text-accent no-underline hover:underline"
      >
        View Details<span className="sr-only"> of {vm.name}</span>
      </Link>
    </li>
  )
}
