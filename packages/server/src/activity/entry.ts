/**
 * What an entry of the activity log says. Whoever stores a change hands its entries to the repo, which records them
 * in the same transaction: `repo.insert(row, entry(now, subject, wish(userId, 'disk.create', 'Create disk data requested')))`.
 */
import { Activity, type ActivityKind, type ActivityObject, type EndpointId } from '@slipway/contract'

/** What an entry is about, by the name it has in this moment, and whose log it stands in. */
export interface Subject {
  type: ActivityObject
  id: string
  name: string
  /** In the log of this project. */
  projectId?: string | null
  /** In the log of this account. */
  accountId?: string
}

/** A mail that tells somebody of it, as it is queued. */
export interface QueuedMail {
  id: string
  account_id: string | null
  purpose: string
  recipient: string
  content: string
  created_at: string
  expires_at: string | null
}

export interface Told {
  kind: ActivityKind
  /** A stable word for programs. */
  action: string
  /** Account of who did it; null: Slipway itself, or somebody who is not signed in. */
  actor: string | null
  /** A sentence without a full stop. */
  message: string
  /** Whole sentences. */
  reason: string | null
  /** Queued in the transaction that records the entry: nobody is told what was not stored, and nothing is stored that somebody is not told. */
  mails?: readonly QueuedMail[]
}

export interface Entry extends Told {
  /** Milliseconds since the epoch. */
  at: number
  subject: Subject
}

export const entry = (at: number, subject: Subject, told: Told): Entry => ({ ...told, at, subject })

/** Somebody asked for something; the action is the id of the endpoint. */
export const wish = (
  actor: string | null,
  action: EndpointId,
  message: string,
  reason: string | null = null,
): Told => ({ kind: 'wish', action, actor, message, reason })

const byItself =
  (kind: 'change' | 'failure' | 'repair') =>
  (action: string, message: string, reason: string | null = null): Told => ({
    kind,
    action,
    actor: null,
    message,
    reason,
  })

/** It became something else. */
export const change = byItself('change')

/** It went wrong. */
export const failure = byItself('failure')

/** What had gone wrong was put right without anybody's doing. */
export const repair = byItself('repair')

/** Somebody came in, or tried to. */
export const access = (
  actor: string | null,
  action: string,
  message: string,
  reason: string | null = null,
): Told => ({ kind: 'access', action, actor, message, reason })

/** The same, with mails that tell of it. */
export const withMails = <T extends Told>(told: T, ...mails: QueuedMail[]): T => ({ ...told, mails })

/** An entry as it is stored. */
interface Stored extends Pick<Activity, 'id' | 'at' | 'action' | 'project_id' | 'message' | 'reason'> {
  kind: string
  actor_id: string | null
  actor_name: string | null
  object_type: string
  object_id: string
  object_name: string
}

const { kind: Kind, object } = Activity.shape

/** A stored entry as it goes over the wire. */
export const toActivity = (row: Stored): Activity => ({
  id: row.id,
  at: row.at,
  kind: Kind.parse(row.kind),
  action: row.action,
  actor: row.actor_id === null ? null : { id: row.actor_id, name: row.actor_name ?? '' },
  object: { type: object.shape.type.parse(row.object_type), id: row.object_id, name: row.object_name },
  project_id: row.project_id,
  message: row.message,
  reason: row.reason,
})
