export * from './access.rules.ts'
export * from './account.rules.ts'
export * from './account.ts'
export * from './account-deletion.rules.ts'
export * from './account-deletion.ts'
export * from './account-export.ts'
export * from './account-settings.ts'
export * from './activity.rules.ts'
export * from './activity.ts'
export * from './admin-account.rules.ts'
export * from './admin-account.ts'
export * from './admin-mail.rules.ts'
export * from './admin-mail.ts'
export * from './api-token.rules.ts'
export * from './api-token.ts'
export * from './batch.rules.ts'
export * from './batch.ts'
export * from './bin.rules.ts'
export * from './bin.ts'
export * from './console.rules.ts'
export * from './console.ts'
export * from './disk.rules.ts'
export * from './disk.ts'
export * from './disk-snapshot.rules.ts'
export * from './disk-snapshot.ts'
export * from './endpoint.ts'
export * from './error.rules.ts'
export * from './error.ts'
export * from './error-answer.rules.ts'
export * from './event.ts'
export * from './full-disk.rules.ts'
export * from './guest-port.ts'
export * from './hand-over.rules.ts'
export * from './hand-over.ts'
export * from './header.rules.ts'
export * from './health.rules.ts'
export * from './health.ts'
export * from './host.rules.ts'
export * from './host.ts'
export * from './missing.rules.ts'
export * from './network.rules.ts'
export * from './network.ts'
export * from './notice.rules.ts'
export * from './notice.ts'
export * from './oidc.rules.ts'
export * from './oidc.ts'
export * from './operation.rules.ts'
export * from './operation.ts'
export * from './overlap.rules.ts'
export * from './passkey.rules.ts'
export * from './passkey.ts'
export * from './project.rules.ts'
export * from './project.ts'
export * from './project-bin.ts'
export * from './project-file.rules.ts'
export * from './project-file.ts'
export * from './project-member.rules.ts'
export * from './project-member.ts'
export * from './proof.rules.ts'
export * from './proof.ts'
export * from './quantity.ts'
export * from './queue.rules.ts'
export * from './quota.rules.ts'
export { quotaApi } from './quota.ts'
export * from './roll-out.rules.ts'
export * from './roll-out.ts'
export * from './routes.ts'
export * from './search.rules.ts'
export * from './search.ts'
export * from './share.rules.ts'
export * from './share.ts'
export * from './sign-in-ways.rules.ts'
export * from './sign-up.rules.ts'
export * from './snapshot-schedule.rules.ts'
export * from './snapshot-schedule.ts'
export * from './ssh-gateway.rules.ts'
export * from './ssh-key.rules.ts'
export * from './ssh-key.ts'
export * from './ssh-key-due.rules.ts'
export * from './ssh-way.rules.ts'
export * from './start-script.rules.ts'
export * from './start-script.ts'
export * from './template.rules.ts'
export * from './template.ts'
export * from './template-bin.ts'
export * from './text.rules.ts'
export * from './totp.rules.ts'
export * from './totp.ts'
export * from './upload.rules.ts'
export * from './upload.ts'
export * from './usage.ts'
export * from './vm.rules.ts'
export * from './vm.ts'
export * from './vm-change.rules.ts'
export * from './vm-form.rules.ts'
export * from './vm-group.rules.ts'
export * from './vm-group.ts'
export * from './vm-pool.rules.ts'
export * from './vm-pool.ts'
export * from './vm-set.rules.ts'
export * from './vm-set.ts'
export * from './vm-size-due.rules.ts'
export * from './vm-snapshot.rules.ts'
export * from './vm-snapshot.ts'
export * from './webhook.rules.ts'
export * from './webhook.ts'

import { accountApi } from './account.ts'
import { accountDeletionApi } from './account-deletion.ts'
import { accountExportApi } from './account-export.ts'
import { accountSettingsApi } from './account-settings.ts'
import { activityApi } from './activity.ts'
import { adminAccountApi } from './admin-account.ts'
import { adminMailApi } from './admin-mail.ts'
import { apiTokenApi } from './api-token.ts'
import { batchApi } from './batch.ts'
import { binApi } from './bin.ts'
import { consoleApi } from './console.ts'
import { diskApi } from './disk.ts'
import { diskSnapshotApi } from './disk-snapshot.ts'
import type { Endpoint, EndpointId } from './endpoint.ts'
import { eventApi } from './event.ts'
import { handOverApi } from './hand-over.ts'
import { healthApi } from './health.ts'
import { hostApi } from './host.ts'
import { networkApi } from './network.ts'
import { noticeApi } from './notice.ts'
import { oidcApi } from './oidc.ts'
import { operationApi } from './operation.ts'
import { passkeyApi } from './passkey.ts'
import { projectApi } from './project.ts'
import { projectBinApi } from './project-bin.ts'
import { projectMemberApi } from './project-member.ts'
import { proofApi } from './proof.ts'
import { quotaApi } from './quota.ts'
import { searchApi } from './search.ts'
import { shareApi } from './share.ts'
import { diskSnapshotScheduleApi, vmSnapshotScheduleApi } from './snapshot-schedule.ts'
import { sshKeyApi } from './ssh-key.ts'
import { startScriptApi } from './start-script.ts'
import { templateApi } from './template.ts'
import { templateBinApi } from './template-bin.ts'
import { totpApi } from './totp.ts'
import { uploadApi } from './upload.ts'
import { usageApi } from './usage.ts'
import { vmApi } from './vm.ts'
import { vmPoolApi } from './vm-pool.ts'
import { vmSetApi } from './vm-set.ts'
import { vmSnapshotApi } from './vm-snapshot.ts'
import { webhookApi } from './webhook.ts'

const apis = [
  accountApi,
  adminAccountApi,
  adminMailApi,
  accountSettingsApi,
  accountDeletionApi,
  oidcApi,
  proofApi,
  totpApi,
  accountExportApi,
  passkeyApi,
  hostApi,
  handOverApi,
  healthApi,
  noticeApi,
  projectApi,
  projectMemberApi,
  sshKeyApi,
  apiTokenApi,
  templateApi,
  templateBinApi,
  vmApi,
  consoleApi,
  usageApi,
  quotaApi,
  vmPoolApi,
  vmSetApi,
  vmSnapshotApi,
  vmSnapshotScheduleApi,
  diskApi,
  uploadApi,
  diskSnapshotApi,
  diskSnapshotScheduleApi,
  operationApi,
  batchApi,
  binApi,
  projectBinApi,
  activityApi,
  searchApi,
  networkApi,
  shareApi,
  startScriptApi,
  webhookApi,
  eventApi,
] as const

/** Every endpoint there is, for tests and documents that walk them all. */
export const endpoints: readonly Endpoint[] = apis.flatMap((api) => Object.values(api) as Endpoint[])

type ValueOf<T> = T extends T ? T[keyof T] : never

/** The endpoint of a name: what `routes` and the resource's own file say of it. */
export type EndpointOf<Id extends EndpointId> = Extract<ValueOf<(typeof apis)[number]>, { id: Id }>
