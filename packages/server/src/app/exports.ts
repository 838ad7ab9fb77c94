import { activityPage } from '@slipway/contract'
import type { SettingsService } from '../account/settings.service.ts'
import { type Lists, makeAccountExportService } from '../account-export/account-export.service.ts'
import type { ActivityService } from '../activity/activity.service.ts'
import type { ApiTokenService } from '../api-token/api-token.service.ts'
import type { BinService } from '../bin/bin.service.ts'
import type { DiskService } from '../disk/disk.service.ts'
import type { DiskSnapshotService } from '../disk-snapshot/disk-snapshot.service.ts'
import type { Clock } from '../lib/clock.ts'
import type { ProjectService } from '../project/project.service.ts'
import type { ProjectBinService } from '../project-bin/project-bin.service.ts'
import type { ProjectMemberService } from '../project-member/project-member.service.ts'
import type { ShareService } from '../share/share.service.ts'
import type { SnapshotScheduleService } from '../snapshot-schedule/snapshot-schedule.service.ts'
import type { SshKeyService } from '../ssh-key/ssh-key.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import type { VmPoolService } from '../vm-pool/vm-pool.service.ts'
import type { VmSetService } from '../vm-set/vm-set.service.ts'
import type { VmSnapshotService } from '../vm-snapshot/vm-snapshot.service.ts'
import type { WebhookService } from '../webhook/webhook.service.ts'

/** What people can take along of all that is stored about them. */
export function makeExports(of: {
  settings: SettingsService
  keys: SshKeyService
  apiTokens: ApiTokenService
  projects: ProjectService
  projectBin: ProjectBinService
  members: ProjectMemberService
  vms: VmService
  disks: DiskService
  pools: VmPoolService
  sets: VmSetService
  vmSnapshots: VmSnapshotService
  diskSnapshots: DiskSnapshotService
  snapshotSchedules: SnapshotScheduleService
  bin: BinService
  shares: ShareService
  webhooks: WebhookService
  activity: ActivityService
  clock: Clock
}) {
  const { settings, keys, apiTokens, projects, activity, clock } = of
  const lists: Lists = {
    sessions: settings.sessions,
    sshKeys: keys.list,
    apiTokens: apiTokens.list,
    projects: projects.list,
    projectsInBin: of.projectBin.list,
    ofProject: {
      members: of.members.list,
      vms: of.vms.list,
      disks: of.disks.ofProject,
      vm_pools: of.pools.list,
      vm_sets: of.sets.list,
      vm_snapshots: (projectId) => of.vmSnapshots.list(projectId, {}),
      disk_snapshots: (projectId) => of.diskSnapshots.list(projectId, {}),
      snapshot_schedules: of.snapshotSchedules.list,
      shared_ports: of.shares.list,
      webhooks: of.webhooks.list,
      bin: of.bin.list,
    },
    activity: (accountId, before) => activity.ofAccount(accountId, { before, limit: activityPage.max }),
  }
  return makeAccountExportService({
    lists,
    noteExport: ({ id, name }) =>
      activity.access(
        id,
        { type: 'account', id, name, accountId: id },
        { action: 'account.export', message: 'Downloaded the data of the account' },
      ),
    clock,
  })
}
