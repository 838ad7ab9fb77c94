import { isOfProject, leastRoles } from './access.rules.ts'
import type { EndpointDef, EndpointId, Method } from './endpoint.ts'
import { isOnlyByPeople } from './proof.rules.ts'

export const apiTokenTexts = {
  nameMissing: 'Please enter a name for the token',
  accessMissing: 'Choose whether the token may read, or read and write',
  projectsMissing: 'Choose all projects, or at least one project',
  unknownProject: 'One of the projects does not exist. Reload the page and choose again.',
  invalidExpiry: 'Choose an expiry of 1 to 366 days',
  tooMany: 'An account can have at most 50 API tokens. Revoke one that is no longer used.',
  notFound: 'API token not found',
  invalid: 'The API token is not valid. It may have expired or been revoked.',
  notForTokens: 'API tokens cannot be used for this. Sign in to the console instead.',
  needsWrite: 'This API token can only read. Create a token with read and write access.',
  otherProject: 'This API token does not cover this project. Create a token that does.',
  needsAllProjects:
    'This API token covers only some projects. Create a token for all projects to use this call.',
} as const

/** `write` includes reading. */
export const apiTokenAccesses = ['read', 'write'] as const
export type ApiTokenAccess = (typeof apiTokenAccesses)[number]

/** How long a token works, in days. */
export const apiTokenDays = { min: 1, max: 366, default: 90, choices: [7, 30, 90, 365] } as const

/** How many tokens an account can have, those included that have expired. */
export const apiTokenLimit = 50

/** What a token may be used for. */
export interface ApiTokenScope {
  access: ApiTokenAccess
  /** Null: all projects of the account, also those that come later. */
  project_ids: readonly string[] | null
}

/** An endpoint, as far as tokens go. */
type Call = Pick<EndpointDef, 'auth'> & { id: EndpointId; method: Method; path: string }

/**
 * What nobody can do with a token: manage the account or get in for longer than the token lives. An SSH key opens every VM of
 * the account, and would still do so after the token is revoked.
 */
const onlyWithSession =
  /^(account\.(?!me$)|account(Deletion|Export)\.|oidc\.|proof\.|totp\.|passkey\.|apiToken\.|sshKey\.(?!list$))/

/** What a token for chosen projects may use beside the calls of those projects; lists have those projects only. */
const withoutProject: ReadonlySet<EndpointId> = new Set([
  'account.me',
  'project.list',
  'projectBin.list',
  'sshKey.list',
  'template.list',
  'template.prepare',
  'search.find',
])

/**
 * The access that a token needs for a call: `read` for what only looks and, in a project, a viewer may look at; `write` for everything
 * else, consoles and what they printed included. Null: no token will do.
 */
export function apiTokenNeeds({ auth, id, method, path }: Call): ApiTokenAccess | null {
  if (auth !== 'session' || path.startsWith('/api/admin/') || onlyWithSession.test(id)) return null
  if (isOnlyByPeople(id)) return null
  const mayLook = !isOfProject(id) || leastRoles[id] === 'viewer'
  return method === 'GET' && mayLook ? 'read' : 'write'
}

/**
 * Whether a token may be used for a call of a project, or of none: `true`, or the sentence that it is refused with. What the account
 * itself may do there is another question.
 */
export function apiTokenMay(scope: ApiTokenScope, call: Call, projectId: string | undefined): true | string {
  const needs = apiTokenNeeds(call)
  if (needs === null) return apiTokenTexts.notForTokens
  if (needs === 'write' && scope.access !== 'write') return apiTokenTexts.needsWrite
  if (scope.project_ids === null) return true
  if (projectId === undefined) return withoutProject.has(call.id) || apiTokenTexts.needsAllProjects
  return scope.project_ids.includes(projectId) || apiTokenTexts.otherProject
}

/** Of what an account has, what a token covers; all of it without a token. */
export const coveredBy = <T>(
  scope: ApiTokenScope | null,
  list: readonly T[],
  projectIdOf: (one: T) => string | null,
): T[] =>
  list.filter((one) => {
    const projectId = projectIdOf(one)
    return scope?.project_ids == null || projectId === null || scope.project_ids.includes(projectId)
  })
