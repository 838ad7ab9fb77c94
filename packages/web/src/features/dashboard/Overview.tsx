import { type Project, summarizeVms, type Vm } from '@slipway/contract'
import { useVmUsagePoll } from '../../api/usage-now.ts'
import { cx } from '../../ui/cx.ts'
import { ProjectUsage } from '../usage/ProjectUsage.tsx'
import { recentVms } from './dashboard-lists.ts'
import { NeedsAttention } from './NeedsAttention.tsx'
import { RecentVms } from './RecentVms.tsx'
import { Tiles } from './Tiles.tsx'
import { useTroubles } from './use-troubles.ts'

/** A project with VMs: how many there are of everything, what they use, what is in trouble, and the newest. */
export function Overview({ project, vms }: { project: Project; vms: Vm[] }) {
  const { running } = summarizeVms(vms)
  useVmUsagePoll(running > 0 ? project.id : undefined)
  const troubles = useTroubles(project.id, vms)
  return (
    <>
      <Tiles projectId={project.id} vms={vms} />
      <ProjectUsage projectId={project.id} running={running} />
      <div
        className={cx(
          'grid grid-cols-[minmax(0,1fr)] items-start gap-6',
          troubles.length > 0 && 'lg:grid-cols-[minmax(0,1fr)_300px]',
        )}
      >
        {troubles.length > 0 && <NeedsAttention troubles={troubles} className="lg:order-last" />}
        <RecentVms project={project} vms={recentVms(vms)} />
      </div>
    </>
  )
}
