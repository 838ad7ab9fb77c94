import type { VmStatus } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'
import { setInternet } from '../project/project.writes.ts'
import type { ProjectNetwork } from './network.state.ts'

const running: VmStatus = 'running'

export type NetworkRepo = ReturnType<typeof makeNetworkRepo>

export function makeNetworkRepo(db: Db) {
  /** Three questions, however many VMs there are. */
  async function read(projectId: string | null): Promise<ProjectNetwork[]> {
    const [projects, vms, groups] = await Promise.all([
      db
        .selectFrom('project')
        .select(['id', 'name', 'internet'])
        .$if(projectId !== null, (query) => query.where('id', '=', projectId ?? ''))
        .orderBy('id')
        .execute(),
      db
        .selectFrom('vm')
        .select(['id', 'project_id', 'name', 'group_id', 'status'])
        .where('wanted_deleted', '=', 0)
        .$if(projectId !== null, (query) => query.where('project_id', '=', projectId))
        .orderBy('id')
        .execute(),
      db
        .selectFrom('vm_group')
        .select(['id', 'project_id', 'name', 'kind'])
        .where('bin_id', 'is', null)
        .$if(projectId !== null, (query) => query.where('project_id', '=', projectId ?? ''))
        .orderBy('id')
        .execute(),
    ])
    const vmsOf = Map.groupBy(vms, (vm) => vm.project_id)
    const groupsOf = Map.groupBy(groups, (group) => group.project_id)
    const membersOf = Map.groupBy(
      vms.filter(({ status }) => status === running),
      (vm) => vm.group_id,
    )
    return projects.map(({ id, name, internet }) => ({
      project: { id, name },
      internet: internet === 1,
      vms: (vmsOf.get(id) ?? []).map((vm) => ({ id: vm.id, name: vm.name, groupId: vm.group_id })),
      groups: (groupsOf.get(id) ?? []).map((group) => ({
        id: group.id,
        name: group.name,
        kind: group.kind,
        running: (membersOf.get(group.id) ?? []).map((vm) => vm.id),
      })),
    }))
  }

  return {
    /** The network of a project; null when there is no such project. */
    find: async (projectId: string): Promise<ProjectNetwork | null> => (await read(projectId))[0] ?? null,

    /** Those of all projects. */
    all: () => read(null),

    /** Switches the Internet access of a project; false, and nothing is recorded, when it is so already. */
    setInternet: (projectId: string, internet: boolean, entry: Entry): Promise<boolean> =>
      db.transaction().execute(async (tx) => {
        const isNews = await setInternet(tx, projectId, internet)
        if (isNews) await record(tx, [entry])
        return isNews
      }),
  }
}
