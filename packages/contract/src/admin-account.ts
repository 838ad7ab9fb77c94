import { z } from 'zod'
import { accountPage, adminAccountTexts } from './admin-account.rules.ts'
import { endpoint } from './endpoint.ts'
import { proofTexts } from './proof.rules.ts'
import { Quota } from './quota.ts'
import { Id, Time } from './text.ts'
import { totpTexts } from './totp.rules.ts'

const t = adminAccountTexts

/** An account, as those see it who run the installation. */
export const AdminAccount = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  /** Named in `SLIPWAY_ADMINS`. */
  is_admin: z.boolean(),
  /** Since when nobody can sign in with it; null: it is not disabled. */
  disabled_at: Time.nullable(),
  /** When it is deleted for good, by its owner's wish; null: it is not. */
  delete_at: Time.nullable(),
  created_at: Time,
  projects: z.int(),
  vms: z.int(),
})
export type AdminAccount = z.infer<typeof AdminAccount>

const limit = z.int({ error: t.limitInvalid }).min(0, t.limitInvalid).nullable()
/** Null: no limit. What is absent follows the settings of the server. */
export const OwnLimits = z.object({
  vms: limit.optional(),
  processors: limit.optional(),
  memory_mb: limit.optional(),
  disk_bytes: limit.optional(),
  snapshot_bytes: limit.optional(),
  shares: limit.optional(),
  /** What exceeds it leaves the bin for good at the next deletion, the oldest first. */
  bin_bytes: limit.optional(),
})
export type OwnLimits = z.infer<typeof OwnLimits>

/** The limits of accounts for which nobody set others; null: no limit. */
export const DefaultLimits = OwnLimits.required()

export const AdminAccountDetail = AdminAccount.extend({
  /** When a session of it was last used; null when there is none. */
  last_seen_at: Time.nullable(),
  /** Since when signing in with a password asks for a code; null: it does not. */
  two_factor_since: Time.nullable(),
  quota: Quota,
  /** The limits that an administrator set. */
  own_limits: OwnLimits,
  /** The limits that accounts have by the settings of the server; null: none. */
  default_limits: DefaultLimits,
})
export type AdminAccountDetail = z.infer<typeof AdminAccountDetail>

/** `next` is the `before` of the next page; null on the last one. */
export const AdminAccountPage = z.object({ accounts: z.array(AdminAccount), next: Id.nullable() })

const AccountParams = z.object({ accountId: Id })
const refused = { 403: [t.refused] }
const ofOne = { ...refused, 404: [t.notFound] }

export const adminAccountApi = {
  list: endpoint('adminAccount.list', {
    summary: 'All accounts, newest first, or those whose name or email contains a text; for administrators',
    auth: 'session',
    status: 200,
    query: z.object({
      search: z.string().trim().max(254).optional(),
      /** Only what is older than this account. */
      before: Id.optional(),
      limit: z.coerce.number().int().min(1).max(accountPage.max).default(accountPage.default),
    }),
    response: AdminAccountPage,
    errors: refused,
  }),
  get: endpoint('adminAccount.get', {
    summary: 'One account with what it uses and its limits; for administrators',
    auth: 'session',
    status: 200,
    params: AccountParams,
    response: AdminAccountDetail,
    errors: ofOne,
  }),
  disable: endpoint('adminAccount.disable', {
    summary: 'Disable an account: its sessions and connections end at once, its VMs keep running',
    auth: 'session',
    status: 200,
    params: AccountParams,
    response: AdminAccountDetail,
    errors: { ...ofOne, 409: [t.ownAccount, t.alreadyDisabled] },
  }),
  enable: endpoint('adminAccount.enable', {
    summary: 'Enable a disabled account',
    auth: 'session',
    status: 200,
    params: AccountParams,
    response: AdminAccountDetail,
    errors: { ...ofOne, 409: [t.notDisabled] },
  }),
  removeTotp: endpoint('adminAccount.removeTotp', {
    summary:
      'Turn off the two-factor authentication of somebody who lost app and recovery codes; ends all their sessions and mails them',
    auth: 'session',
    status: 200,
    params: AccountParams,
    response: AdminAccountDetail,
    errors: { 403: [t.refused, proofTexts.needed], 404: [t.notFound], 409: [t.ownTotp, totpTexts.notOn] },
  }),
  setLimits: endpoint('adminAccount.setLimits', {
    summary: 'Replace the limits that were set for an account; those that are absent follow the settings',
    auth: 'session',
    status: 200,
    params: AccountParams,
    body: OwnLimits,
    response: AdminAccountDetail,
    errors: { ...ofOne, 400: [t.limitInvalid] },
  }),
}
