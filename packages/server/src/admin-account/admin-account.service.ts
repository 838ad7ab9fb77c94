import {
  type AdminAccount,
  type AdminAccountDetail,
  adminAccountTexts,
  type EndpointId,
  type Me,
  mayDisable,
  mayRemoveTotp,
  type OwnLimits,
  type QuotaResource,
  quotaAmount,
  quotaResources,
} from '@slipway/contract'
import { entry, wish } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { Problem, require409 } from '../lib/problem.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import type { TotpService } from '../totp/totp.service.ts'
import type { AdminAccountRepo, StoredAccount } from './admin-account.repo.ts'

export type AdminAccountService = ReturnType<typeof makeAdminAccountService>

export interface AdminAccountOptions {
  repo: AdminAccountRepo
  quotas: Pick<QuotaService, 'ofAccount' | 'limitsOf' | 'setLimits'>
  /** Email addresses of administrators, in lower case. */
  admins: readonly string[]
  totp: Pick<TotpService, 'since' | 'removeLost'>
  /** Nothing may stand on an account any more. */
  onDisabled: (accountId: string) => void
  /** All sessions of an account were ended. */
  onSessionsEnded: (accountId: string) => void
  clock: Clock
}

/** What those who run the installation do to the accounts of others. Nobody signs in as somebody else. */
export function makeAdminAccountService(options: AdminAccountOptions) {
  const { repo, quotas, totp, admins, clock } = options
  function requireAdmin({ is_admin }: Me): void {
    if (!is_admin) throw new Problem(403, adminAccountTexts.refused)
  }

  const told = (account: { id: string; name: string }, admin: Me, action: EndpointId, message: string) =>
    entry(
      clock.now(),
      { type: 'account', id: account.id, name: account.name, accountId: account.id },
      wish(admin.id, action, message),
    )

  const wire = (account: StoredAccount): AdminAccount => ({
    ...account,
    is_admin: admins.includes(account.email),
  })

  async function detail(account: StoredAccount | null): Promise<AdminAccountDetail> {
    if (!account) throw new Problem(404, adminAccountTexts.notFound)
    const [quota, limits, last_seen_at, two_factor_since] = await Promise.all([
      quotas.ofAccount(account.id),
      quotas.limitsOf(account.id),
      repo.lastSeen(account.id),
      totp.since(account.id),
    ])
    return {
      ...wire(account),
      last_seen_at,
      two_factor_since,
      quota,
      own_limits: limits.own,
      default_limits: limits.defaults,
    }
  }

  return {
    async list(
      admin: Me,
      query: { search?: string | undefined; before?: string | undefined; limit: number },
    ) {
      requireAdmin(admin)
      // One more tells whether there is another page.
      const found = await repo.page(query, query.limit + 1)
      const accounts = found.slice(0, query.limit)
      return {
        accounts: accounts.map(wire),
        next: found.length > query.limit ? (accounts.at(-1)?.id ?? null) : null,
      }
    },

    async get(admin: Me, accountId: string): Promise<AdminAccountDetail> {
      requireAdmin(admin)
      return detail(await repo.find(accountId))
    },

    async disable(admin: Me, accountId: string): Promise<AdminAccountDetail> {
      requireAdmin(admin)
      const account = await repo.setDisabled(
        accountId,
        isoTime(clock.now()),
        (current) => require409(mayDisable(current, admin.id)),
        (current) => told(current, admin, 'adminAccount.disable', `Disabled account ${current.name}`),
      )
      // Also those that an earlier attempt left behind.
      if (account) options.onDisabled(accountId)
      return detail(account)
    },

    async enable(admin: Me, accountId: string): Promise<AdminAccountDetail> {
      requireAdmin(admin)
      const account = await repo.setDisabled(
        accountId,
        null,
        ({ disabled_at }) => require409(disabled_at !== null || adminAccountTexts.notDisabled),
        (current) => told(current, admin, 'adminAccount.enable', `Enabled account ${current.name}`),
      )
      return detail(account)
    },

    async removeTotp(admin: Me, accountId: string): Promise<AdminAccountDetail> {
      requireAdmin(admin)
      const account = await detail(await repo.find(accountId))
      require409(mayRemoveTotp(account, admin.id))
      const message = `Turned two-factor authentication of account ${account.name} off`
      await totp.removeLost(account, told(account, admin, 'adminAccount.removeTotp', message))
      options.onSessionsEnded(accountId)
      return detail(await repo.find(accountId))
    },

    async setLimits(admin: Me, accountId: string, limits: OwnLimits): Promise<AdminAccountDetail> {
      requireAdmin(admin)
      const isStored = await quotas.setLimits(accountId, limits, (account) =>
        told(
          account,
          admin,
          'adminAccount.setLimits',
          `Set the limits of account ${account.name}: ${said(limits)}`,
        ),
      )
      return detail(isStored ? await repo.find(accountId) : null)
    },
  }
}

/** The limits as a list: `2 VMs, any number of shared ports`. */
function said(limits: OwnLimits): string {
  const parts = quotaResources.flatMap((resource: QuotaResource) => {
    const limit = limits[resource]
    if (limit === undefined) return []
    return [limit === null ? `no limit of ${nouns[resource]}` : quotaAmount(resource, limit)]
  })
  return parts.length === 0 ? 'those of the server' : parts.join(', ')
}

const nouns: Record<QuotaResource, string> = {
  vms: 'VMs',
  processors: 'processors',
  memory_mb: 'memory',
  disk_bytes: 'disk space',
  snapshot_bytes: 'snapshot space',
  shares: 'shared ports',
  bin_bytes: 'space in the bin',
}
