import {
  binVmsAllow,
  lineAllows,
  messages,
  type ProjectQuota,
  type Quota,
  type QuotaAmounts,
  type QuotaLimits,
  type QuotaResource,
  type QuotaScope,
  quotaResources,
  quotaScopes,
} from '@slipway/contract'
import type { Tx } from '../db/open.ts'
import { Problem, require409 } from '../lib/problem.ts'
import type { Counting, QuotaOwner, QuotaRepo } from './quota.repo.ts'

export type QuotaService = ReturnType<typeof makeQuotaService>

/** What is requested; nothing of all that is not named. */
export type Requested = Partial<QuotaAmounts>

export interface QuotaServiceOptions {
  repo: QuotaRepo
  /** The limits of every project, and those of accounts for which an operator set no others. */
  defaults: Record<QuotaScope, QuotaLimits>
}

/**
 * The limits of projects and accounts. They are asked in the transaction that stores what was requested: as one
 * transaction is written after the other, on both databases, what it counts cannot change before it ends.
 */
export function makeQuotaService({ repo, defaults }: QuotaServiceOptions) {
  async function verdictOf(
    tx: Tx,
    projectId: string,
    requested: Requested,
    counting: Counting,
    { among = quotaScopes, isKnown = false }: { among?: readonly QuotaScope[]; isKnown?: boolean } = {},
  ): Promise<true | string> {
    const asked = quotaResources.filter((resource) => (requested[resource] ?? 0) > 0)
    if (asked.length === 0) return true
    const owner = await repo.ownerOf(projectId, tx)
    // It was deleted meanwhile, which the caller finds out by itself.
    if (!owner) return true
    const scopes: Record<QuotaScope, { owner: QuotaOwner; limits: QuotaLimits }> = {
      project: { owner: { projectId }, limits: defaults.project },
      account: { owner: { accountId: owner.accountId }, limits: { ...defaults.account, ...owner.limits } },
    }
    for (const scope of among) {
      const { owner, limits } = scopes[scope]
      const limited = asked.filter((resource) => limits[resource] !== null)
      if (limited.length === 0) continue
      const used = await repo.used(owner, limited, counting, tx)
      const verdict = firstRefusal(scope, limited, used, limits, requested, { isKnown })
      if (verdict !== true) return verdict
    }
    return true
  }

  function firstRefusal(
    scope: QuotaScope,
    resources: readonly QuotaResource[],
    used: QuotaAmounts,
    limits: QuotaLimits,
    requested: Requested,
    asked?: Parameters<typeof lineAllows>[4],
  ): true | string {
    for (const resource of resources) {
      const line = { used: used[resource], limit: limits[resource] }
      const verdict = lineAllows(scope, resource, line, requested[resource] ?? 0, asked)
      if (verdict !== true) return verdict
    }
    return true
  }

  async function quotaOf(owner: QuotaOwner, limits: QuotaLimits): Promise<Quota> {
    const used = await repo.used(owner, quotaResources, 'promised')
    const lines = quotaResources.map((resource): [QuotaResource, Quota[QuotaResource]] => [
      resource,
      { used: used[resource], limit: limits[resource] },
    ])
    // Each resource is among them.
    return Object.fromEntries(lines) as Quota
  }

  async function ofAccount(accountId: string): Promise<Quota> {
    return quotaOf({ accountId }, { ...defaults.account, ...(await repo.limits(accountId)) })
  }

  return {
    /**
     * Throws 409 with a sentence when a limit does not leave room for what is requested, and names the field of the request that
     * asks for it, where one is given.
     */
    async require(tx: Tx, projectId: string, requested: Requested, field?: string): Promise<void> {
      require409(await verdictOf(tx, projectId, requested, 'promised'), field)
    },

    /** The same for something that comes back from the bin: of a snapshot it is known what it takes. */
    async requireForReturn(tx: Tx, projectId: string, requested: Requested): Promise<void> {
      require409(await verdictOf(tx, projectId, requested, 'promised', { isKnown: true }))
    },

    /** The same for a member of a pool or set: it was promised already, so only what is there counts. */
    async requireForMember(tx: Tx, projectId: string, requested: Requested): Promise<void> {
      require409(await verdictOf(tx, projectId, requested, 'there'))
    },

    /** The same for a whole project that comes back from the bin, in which it counts toward no limit of the account. */
    async requireForProject(tx: Tx, projectId: string): Promise<void> {
      // What is in its own bin was counted as long as all of it was in the bin.
      const resources = quotaResources.filter((resource) => resource !== 'bin_bytes')
      const requested = await repo.used({ projectId }, resources, 'promised', tx)
      require409(await verdictOf(tx, projectId, requested, 'promised', { among: ['account'], isKnown: true }))
    },

    /** The limits of the bin of the account that owns a project; null when there is no such project. */
    async binLimitsOf(projectId: string, tx?: Tx) {
      const owner = await repo.ownerOf(projectId, tx)
      if (!owner) return null
      const { bin_bytes: bytes, vms } = { ...defaults.account, ...owner.limits }
      return { accountId: owner.accountId, limits: { bytes, vms } }
    },

    /**
     * The same for a project that another account takes over: all that is in it, and in its bin, has to fit into what that
     * account has left.
     */
    async requireForNewOwner(projectId: string, accountId: string, tx?: Tx): Promise<void> {
      const limits = { ...defaults.account, ...(await repo.limits(accountId, tx)) }
      const limited = quotaResources.filter((resource) => limits[resource] !== null)
      const requested = await repo.used({ projectId }, limited, 'promised', tx)
      const used = await repo.used({ accountId }, limited, 'promised', tx)
      const asked = { owner: 'Your account', isKnown: true }
      require409(firstRefusal('account', limited, used, limits, requested, asked))
      // A bin keeps as many VMs as its account may have; more would be deleted for good at the next deletion.
      if (limits.vms === null) return
      const [there, more] = [await repo.vmsInBins({ accountId }, tx), await repo.vmsInBins({ projectId }, tx)]
      require409(binVmsAllow({ used: there, limit: limits.vms }, more))
    },

    /** What all projects of an account use. The caller has checked who asks. */
    ofAccount,

    /** The limits that an operator set for an account, and those that it would have without. */
    limitsOf: async (accountId: string) => ({
      own: await repo.limits(accountId),
      defaults: defaults.account,
    }),

    /** For the desk of operators, which has checked who asks: false when there is no such account. */
    setLimits: repo.setLimits,

    async ofProject(projectId: string): Promise<ProjectQuota> {
      const owner = await repo.ownerOf(projectId)
      if (!owner) throw new Problem(404, messages.projectNotFound)
      const [project, account] = await Promise.all([
        quotaOf({ projectId }, defaults.project),
        ofAccount(owner.accountId),
      ])
      return { project, account }
    },
  }
}
