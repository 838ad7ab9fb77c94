/**
 * The one place where it is asked whether somebody may make a call. The tables of the contract say who may: the role in a
 * project, and what an API token covers. A project that somebody is no member of is as unknown as none at all.
 */
import {
  apiTokenMay,
  type Endpoint,
  isOfProject,
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

/** Throws 404 or 403 when the user may not make this call; `input` is what was read of the request. */
export type Admit = (endpoint: Pick<Endpoint, 'id'>, input: object) => Promise<void>

/** @param roleOf what an account is in a project; null: no member, or there is no such project */
export function makeAdmission(
  roleOf: (accountId: string, projectId: string) => Promise<ProjectRole | null>,
): Admit {
  return async function admit({ id }, input) {
    if (isOfProject(id)) await requireRole(id, input)
    // Last: who may not do this anyway is not asked to confirm anything.
    if (needsProof(id)) requireProof(input)
  }

  async function requireRole(id: ProjectEndpointId, input: object): Promise<void> {
    const { user, params } = input as { user?: { id: string }; params?: { projectId?: string } }
    const role = user && params?.projectId ? await roleOf(user.id, params.projectId) : null
    if (role === null) throw new Problem(404, messages.projectNotFound)
    const allowed = roleMay(role, id)
    if (allowed !== true) throw new Problem(403, allowed)
  }
}

/** Throws 403 with a `code` of its own when the user has to confirm first who they are. */
function requireProof(input: object): void {
  const { session } = input as { session?: Session }
  if (session?.isProven) return
  const problem = new Problem(403, proofTexts.needed)
  problem.code = proofNeeded
  throw problem
}

/** Throws 403 when somebody came with an API token that does not cover this call, whatever its account may. */
export function requireScope(endpoint: Endpoint, { scope }: Session, params: unknown): void {
  if (scope === null) return
  const { projectId } = params as { projectId?: string }
  const verdict = apiTokenMay(scope, endpoint, projectId)
  if (verdict !== true) throw new Problem(403, verdict)
}
