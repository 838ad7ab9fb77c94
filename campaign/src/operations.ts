/**
 * Everything users do, as tables: how often, to what, the call, and what its answer makes known. The tables are pure
 * but for what takes more than one request; `traffic.ts` sends the rest.
 */
import { ofAccounts } from './operations/accounts.ts'
import { createAgain } from './operations/again.ts'
import { ofBatches } from './operations/batches.ts'
import { ofBin } from './operations/bin.ts'
import { ofDisks } from './operations/disks.ts'
import { ofGroups } from './operations/groups.ts'
import { ofLongWork } from './operations/long-work.ts'
import type { Operation } from './operations/operation.ts'
import { ofPeople } from './operations/people.ts'
import { ofProjectBin } from './operations/project-bin.ts'
import { ofProjects } from './operations/projects.ts'
import { readings } from './operations/readings.ts'
import { ofSchedules } from './operations/schedules.ts'
import { ofShares } from './operations/shares.ts'
import { ofSnapshots } from './operations/snapshots.ts'
import { sshByName } from './operations/ssh-by-name.ts'
import { ofUploads } from './operations/uploads.ts'
import { ofVms } from './operations/vms.ts'
import { ofWebhooks } from './operations/webhooks.ts'

export const operations: Record<string, Operation> = {
  ...ofProjects,
  ...ofVms,
  ...ofDisks,
  ...ofUploads,
  ...ofSnapshots,
  ...ofSchedules,
  ...ofShares,
  ...ofGroups,
  ...ofLongWork,
  ...ofBatches,
  ...ofWebhooks,
  ...ofBin,
  ...ofProjectBin,
  ...ofAccounts,
  ...ofPeople,
  ...readings,
  createAgain,
  sshByName,
}
