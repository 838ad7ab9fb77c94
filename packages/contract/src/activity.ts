import { z } from 'zod'
import {
  activityFormats,
  activityKinds,
  activityObjects,
  activityPage,
  activityTexts,
} from './activity.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ProjectParams } from './project.ts'
import { queueTexts } from './queue.rules.ts'
import { Id, Time } from './text.ts'

export const ActivityKindWord = z.enum(activityKinds).meta({ id: 'ActivityKind' })
const ObjectType = z.enum(activityObjects).meta({ id: 'ActivityObject' })

/** One thing that happened. Names are those of that moment, so that they stay when the objects are gone. */
export const Activity = z.object({
  /** Ids sort by age. */
  id: Id,
  at: Time,
  kind: ActivityKindWord,
  /** A stable word for programs: of a wish the id of its endpoint, such as `vm.start`, else one like `vm.running`. */
  action: z.string(),
  /** Null: Slipway itself, or somebody who is not signed in. */
  actor: z.object({ id: Id, name: z.string() }).nullable(),
  object: z.object({ type: ObjectType, id: Id, name: z.string() }),
  project_id: Id.nullable(),
  /** A sentence such as `Start VM web-1 requested`. */
  message: z.string(),
  /** Why, in a sentence, where there is more to say. */
  reason: z.string().nullable(),
})
export type Activity = z.infer<typeof Activity>

const page = {
  /** Only what is older than this entry. */
  before: Id.optional(),
  limit: z.coerce.number().int().min(1).max(activityPage.max).default(activityPage.default),
}

/** Newest first. `next` is the `before` of the next page; null on the last one. */
export const ActivityPage = z.object({ entries: z.array(Activity), next: Id.nullable() })
export type ActivityPage = z.infer<typeof ActivityPage>

export const ActivityQuery = z.object({
  ...page,
  kind: ActivityKindWord.optional(),
  object_type: ObjectType.optional(),
  object_id: Id.optional(),
  /** `user` leaves out what Slipway did by itself, `system` what people did. */
  actor: z.enum(['user', 'system']).optional(),
})
export type ActivityQuery = z.input<typeof ActivityQuery>

export const activityApi = {
  ofProject: endpoint('activity.ofProject', {
    summary: 'What happened in a project, newest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    query: ActivityQuery,
    response: ActivityPage,
    errors: { 404: [messages.projectNotFound] },
  }),
  ofAccount: endpoint('activity.ofAccount', {
    summary: "What happened to the user's account, SSH keys and projects, newest first",
    auth: 'session',
    status: 200,
    query: z.object(page),
    response: ActivityPage,
  }),
  export: endpoint('activity.export', {
    summary:
      'Everything that happened, oldest first, one JSON object a line or a table; for those named as administrators',
    auth: 'session',
    status: 200,
    query: z.object({
      /** From this time on. */
      since: Time.optional(),
      /** Up to this time, without it. */
      until: Time.optional(),
      format: z.enum(activityFormats).default('ndjson'),
    }),
    answers: 'text',
    errors: { 403: [activityTexts.exportRefused], 429: [queueTexts.exports] },
  }),
}
