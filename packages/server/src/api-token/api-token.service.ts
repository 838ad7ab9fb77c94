import {
  type ApiToken,
  type ApiTokenCreate,
  type ApiTokenCreated,
  type ApiTokenScope,
  apiTokenTexts,
  type Me,
} from '@slipway/contract'
import { entry, type Told, wish } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Log } from '../lib/log.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { ApiTokenRepo } from './api-token.repo.ts'
import { apiTokenHash, newApiToken } from './api-token.secret.ts'

const minute = 60_000
const day = 24 * 60 * minute
/** So long an expired token is still listed, so that a program that stopped can be explained. */
const listedAfterExpiry = 30 * day

export type ApiTokenService = ReturnType<typeof makeApiTokenService>

export interface ApiTokenServiceOptions {
  repo: ApiTokenRepo
  /** The account, if it may sign in. */
  activeUser: (accountId: string) => Promise<Me | null>
  /** The projects that the account can use. */
  projectsOf: (accountId: string) => Promise<readonly { id: string; name: string }[]>
  /** A token was revoked: what stands on it has to end too. */
  onRevoked: (apiTokenId: string) => void
  clock: Clock
  log: Pick<Log, 'error'>
}

export function makeApiTokenService(options: ApiTokenServiceOptions) {
  const { repo, activeUser, projectsOf, onRevoked, clock, log } = options
  const told = (userId: string, { id, name }: Pick<ApiToken, 'id' | 'name'>, what: Told) =>
    entry(clock.now(), { type: 'api_token', id, name, accountId: userId }, what)

  async function requireProjects(userId: string, ids: readonly string[]): Promise<void> {
    const known = new Set((await projectsOf(userId)).map(({ id }) => id))
    if (!ids.every((id) => known.has(id))) throw refuse('project_ids', apiTokenTexts.unknownProject)
  }

  return {
    list: (userId: string): Promise<ApiToken[]> => repo.list(userId),

    async create(userId: string, input: ApiTokenCreate): Promise<ApiTokenCreated> {
      const project_ids = input.project_ids && [...new Set(input.project_ids)]
      if (project_ids) await requireProjects(userId, project_ids)
      const token = newApiToken()
      const row = {
        id: newId(clock.now()),
        account_id: userId,
        name: input.name,
        // A token that was just made is one.
        token_hash: apiTokenHash(token) ?? '',
        access: input.access,
        project_ids: project_ids && JSON.stringify(project_ids),
        created_at: isoTime(clock.now()),
        expires_at: isoTime(clock.now() + input.expires_in_days * day),
        last_used_at: null,
      }
      const may = input.access === 'write' ? 'read and write' : 'read'
      const where = project_ids === null ? 'all projects' : countOf(project_ids.length)
      const created = wish(
        userId,
        'apiToken.create',
        `Created API token ${row.name}`,
        `It can ${may} in ${where} until ${row.expires_at}.`,
      )
      const stored = await repo.insert(row, told(userId, row, created))
      if (!stored) throw new Problem(409, apiTokenTexts.tooMany)
      return { ...stored, token }
    },

    async delete(userId: string, id: string): Promise<void> {
      const revoked = (token: ApiToken) =>
        told(userId, token, wish(userId, 'apiToken.delete', `Revoked API token ${token.name}`))
      if (!(await repo.delete(userId, id, revoked))) throw new Problem(404, apiTokenTexts.notFound)
      onRevoked(id)
    },

    /** Who a token stands for and what it may be used for; null when it expired, was revoked, or never was one. */
    async authenticate(
      token: string,
    ): Promise<{ id: string; user: Me; scope: ApiTokenScope; isProven: false } | null> {
      const hash = apiTokenHash(token)
      const known = hash === null ? null : await repo.byHash(hash)
      const now = isoTime(clock.now())
      if (!known || known.expires_at <= now) return null
      const user = await activeUser(known.accountId)
      if (!user) return null
      const before = isoTime(clock.now() - minute)
      // Once a minute is precise enough, and spares a write per request.
      if (known.last_used_at === null || known.last_used_at < before) {
        // A full disk must not keep programs from reading.
        await repo.touch(known.id, now, before).catch((error: unknown) => {
          log.error({ err: error }, 'The use of an API token could not be noted')
        })
      }
      return {
        id: known.id,
        user,
        scope: { access: known.access, project_ids: known.project_ids },
        isProven: false,
      }
    },

    /** Forgets tokens that expired long ago. */
    sweep: (): Promise<void> => repo.deleteExpired(isoTime(clock.now() - listedAfterExpiry)),
  }
}

const countOf = (projects: number) => (projects === 1 ? 'one project' : `${projects} projects`)
