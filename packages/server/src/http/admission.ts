/**
 * The one place where it is asked whether somebody may make a call. The tables of the contract say who may: the role in a
 * project, and what an API token covers. A project that somebody is no member of is as unknown as none at all.
 */
import {
  apiTokenMay,
  type Endpoint,
  isOfProject,
  mayWhileFrozen,
  mayWhileLeaving,
  messages,
  needsProof,
  type ProjectEndpointId,
  type ProjectRole,
  proofNeeded,
  proofTexts,
  roleMay,
} from '@slipway/contract'
import { Problem } from '../lib/problem.ts'
import type { Session } from './sessions.ts'

type Asked = Pick<Endpoint, 'id' | 'method'>

/** Throws 404 or 403 when the user may not make this call; `input` is what was read of the request. */
export type Admit = (endpoint: Asked, input: object) => Promise<void>

/** What somebody is in a project. */
export interface Standing {
  role: ProjectRole
  /** Its owner is deleting their account. */
  isFrozen: boolean
}

/** @param standingOf null: no member, or there is no such project */
export function makeAdmission(
  standingOf: (accountId: string, projectId: string) => Promise<Standing | null>,
): Admit {
  return async function admit(endpoint, input) {
    const { session, body } = input as { session?: Session; body?: unknown }
    if (session?.isLeaving) require403(mayWhileLeaving(endpoint.id))
    if (isOfProject(endpoint.id)) await requireRole(endpoint, endpoint.id, input)
    // Last: who may not do this anyway is not asked to confirm anything.
    if (!isToken(session) && needsProof(endpoint.id, body) && !session?.isProven) throw proofIsNeeded()
  }

  async function requireRole(endpoint: Asked, id: ProjectEndpointId, input: object): Promise<void> {
    const { user, params } = input as { user?: { id: string }; params?: { projectId?: string } }
    const standing = user && params?.projectId ? await standingOf(user.id, params.projectId) : null
    if (standing === null) throw new Problem(404, messages.projectNotFound)
    require403(roleMay(standing.role, id))
    if (standing.isFrozen) require403(mayWhileFrozen(endpoint))
  }
}

/** It has no session that could be confirmed; what no token will do for is refused by its scope. */
const isToken = (session: Session | undefined): boolean => session !== undefined && session.scope !== null

function require403(verdict: true | string): void {
  if (verdict !== true) throw new Problem(403, verdict)
}

/** A refusal with a `code` of its own: the user has to confirm first who they are. */
function proofIsNeeded(): Problem {
  const problem = new Problem(403, proofTexts.needed)
  problem.code = proofNeeded
  return problem
}

/** Throws 403 when somebody came with an API token that does not cover this call, whatever its account may. */
export function requireScope(endpoint: Endpoint, { scope }: Session, params: unknown): void {
  if (scope === null) return
  const { projectId } = params as { projectId?: string }
  const verdict = apiTokenMay(scope, endpoint, projectId)
  if (verdict !== true) throw new Problem(403, verdict)
}
