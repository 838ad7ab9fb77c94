import type { Host, Project, Template, Vm, VmPool, VmSet } from '@slipway/contract'
import { noLimits } from '@slipway/contract/host.rules.ts'
import { Failure } from '../failure.ts'
import { pick } from '../names.ts'
import type { Session } from '../session.ts'
import type { ScheduledDisk, ScheduledVm } from './schedules.ts'
import { type NamedWebhook, named } from './webhooks.ts'

/** What a server has of a project, as far as a file can say it. */
export interface Seen {
  /** Null where there is none of that name. */
  project: Pick<Project, 'id' | 'name' | 'description' | 'role'> | null
  /** Whether its VMs reach the Internet. */
  internet: boolean
  /** Without those that go with a member of a pool or set. */
  disks: ScheduledDisk[]
  vms: ScheduledVm[]
  /** VMs of pools and sets. */
  members: Vm[]
  pools: VmPool[]
  sets: VmSet[]
  webhooks: NamedWebhook[]
  /** Why the webhooks could not be seen; null: they could. */
  webhooksHidden: string | null
  templates: Pick<Template, 'id' | 'image'>[]
  /** What the engine cannot do. */
  cannot: Host['cannot']
  /** Why it cannot share ports. */
  sharing: Host['sharing']
}

/** What a new project has. */
export const nothing: Seen = {
  project: null,
  internet: true,
  disks: [],
  vms: [],
  members: [],
  pools: [],
  sets: [],
  webhooks: [],
  webhooksHidden: null,
  templates: [],
  cannot: noLimits,
  sharing: { http: null, tcp: null },
}

/** Reads a project by its name or id; one that is not there is empty. */
export async function seeProject(session: Session, text: string): Promise<Seen> {
  const [projects, { cannot, sharing }] = await Promise.all([
    session.ask('project.list'),
    session.ask('host.get'),
  ])
  if (!projects.some(({ id, name }) => id === text || name === text)) return { ...nothing, cannot, sharing }
  const projectId = pick(projects, text, 'project')
  const project = projects.find(({ id }) => id === projectId) ?? null
  const params = { projectId }
  const [{ internet }, disks, ofDisks, vms, ofVms, pools, sets, webhooks, templates] = await Promise.all([
    session.ask('network.get', { params }),
    session.ask('disk.list', { params, query: {} }),
    session.ask('diskSnapshotSchedule.list', { params }),
    session.ask('vm.list', { params }),
    session.ask('vmSnapshotSchedule.list', { params }),
    session.ask('vmPool.list', { params }),
    session.ask('vmSet.list', { params }),
    seeWebhooks(session, projectId),
    session.ask('template.list'),
  ])
  const scheduleOfDisk = new Map(ofDisks.map((one) => [one.disk_id, one]))
  const scheduleOfVm = new Map(ofVms.map((one) => [one.vm_id, one]))
  const isMember = ({ vmpool_id, vmset_id }: Vm) => vmpool_id !== null || vmset_id !== null
  return {
    project,
    internet,
    disks: disks
      .filter((disk) => !disk.deleted_with_vm && disk.status !== 'deleting')
      .map((disk) => ({ ...disk, snapshot_schedule: scheduleOfDisk.get(disk.id) ?? null })),
    vms: vms
      .filter((vm) => !isMember(vm))
      .map((vm) => ({ ...vm, snapshot_schedule: scheduleOfVm.get(vm.id) ?? null })),
    members: vms.filter(isMember),
    pools,
    sets,
    ...webhooks,
    templates,
    cannot,
    sharing,
  }
}

/** Not everybody who sees a project sees its webhooks. */
async function seeWebhooks(
  session: Session,
  projectId: string,
): Promise<Pick<Seen, 'webhooks' | 'webhooksHidden'>> {
  try {
    const webhooks = await session.ask('webhook.list', { params: { projectId } })
    return { webhooks: webhooks.map(named), webhooksHidden: null }
  } catch (error) {
    if (!(error instanceof Failure && error.exit === 'notAllowed')) throw error
    return { webhooks: [], webhooksHidden: error.message }
  }
}
