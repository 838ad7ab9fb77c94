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
  type ProjectRole,
  roleMay,
} from '@slipway/contract'
import { Problem } from '../lib/problem.ts'
import type { Session } from './sessions.ts'

/** Throws 404 or 403 when the user may not make this call; `input` is what was read of the request. */
export type Admit = (endpoint: Pick<Endpoint, 'id' | 'method'>, input: object) => Promise<void>

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
    const { user, session, params } = input as {
      user?: { id: string }
      session?: Session
      params?: { projectId?: string }
    }
    if (session?.isLeaving) require403(mayWhileLeaving(endpoint.id))
    const { id } = endpoint
    if (!isOfProject(id)) return
    const standing = user && params?.projectId ? await standingOf(user.id, params.projectId) : null
    if (standing === null) throw new Problem(404, messages.projectNotFound)
    require403(roleMay(standing.role, id))
    if (standing.isFrozen) require403(mayWhileFrozen(endpoint))
  }
}

function require403(verdict: true | string): void {
  if (verdict !== true) throw new Problem(403, verdict)
}

/** Throws 403 when somebody came with an API token that does not cover this call, whatever its account may. */
export function requireScope(endpoint: Endpoint, { scope }: Session, params: unknown): void {
  if (scope === null) return
  const { projectId } = params as { projectId?: string }
  const verdict = apiTokenMay(scope, endpoint, projectId)
  if (verdict !== true) throw new Problem(403, verdict)
}
