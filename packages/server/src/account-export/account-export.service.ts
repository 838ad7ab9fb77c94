import type { Activity, BinProject, Project, User } from '@slipway/contract'
import { type Clock, isoTime } from '../lib/clock.ts'
import { type Part, writeJson } from './json-stream.ts'

/** How what belongs to an account is listed: as its owner sees it by the API, so without secrets. */
export interface Lists {
  sessions: (user: User, sessionId: string) => Promise<unknown>
  sshKeys: (accountId: string) => Promise<unknown>
  apiTokens: (accountId: string) => Promise<unknown>
  projects: (accountId: string) => Promise<Project[]>
  /** Those of the account that were deleted and can be restored. */
  projectsInBin: (accountId: string) => Promise<BinProject[]>
  /** What a project has, by the names that the export gives it. */
  ofProject: Record<string, (projectId: string) => Promise<unknown>>
  /** The log of the account, newest first and a part at a time. */
  activity: (
    accountId: string,
    before: string | undefined,
  ) => Promise<{ entries: Activity[]; next: string | null }>
}

export type AccountExportService = ReturnType<typeof makeAccountExportService>

/** All that is stored about an account, for its owner to take along. */
export function makeAccountExportService({
  lists,
  noteExport,
  clock,
}: {
  lists: Lists
  /** An export is told of in the log of the account: a session that somebody else has must not take it unseen. */
  noteExport: (user: User) => Promise<void>
  clock: Clock
}) {
  /** Projects of others are theirs to export: of them only what the account is there. */
  async function* projectsOf(user: User): AsyncGenerator<unknown> {
    for (const { id, name, description, role, owner_name, created_at } of await lists.projects(user.id)) {
      const project = { id, name, description, role, owner_name, created_at }
      if (role !== 'owner') yield { id, name, role, owner_name }
      else yield { ...project, ...(await contentsOf(id)) }
    }
  }

  async function* projectsInBinOf(user: User): AsyncGenerator<unknown> {
    for (const { id, name, deleted_at, delete_at } of await lists.projectsInBin(user.id))
      yield { id, name, deleted_at, delete_at, ...(await contentsOf(id)) }
  }

  async function contentsOf(projectId: string): Promise<Record<string, unknown>> {
    const contents: Record<string, unknown> = {}
    for (const [name, list] of Object.entries(lists.ofProject)) contents[name] = await list(projectId)
    return contents
  }

  async function* activityOf(user: User): AsyncGenerator<unknown> {
    let before: string | undefined
    do {
      const { entries, next } = await lists.activity(user.id, before)
      yield* entries
      before = next ?? undefined
    } while (before !== undefined)
  }

  return {
    /** The text of one JSON document, a piece at a time; nothing of it is kept. */
    async export(user: User, sessionId: string): Promise<AsyncGenerator<string>> {
      await noteExport(user)
      const { id, name, email, email_verified, created_at } = user
      const parts: [string, Part][] = [
        ['exported_at', async () => isoTime(clock.now())],
        ['profile', async () => ({ id, name, email, email_verified, created_at })],
        ['sessions', () => lists.sessions(user, sessionId)],
        ['ssh_keys', () => lists.sshKeys(id)],
        ['api_tokens', () => lists.apiTokens(id)],
        ['projects', projectsOf(user)],
        ['projects_in_bin', projectsInBinOf(user)],
        ['activity', activityOf(user)],
      ]
      return writeJson(parts)
    },
  }
}
