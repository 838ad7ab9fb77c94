import { z } from 'zod'
import { accountDeletionTexts } from './account-deletion.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { handOverTexts as texts } from './hand-over.rules.ts'
import { Project, ProjectParams } from './project.ts'
import { proofTexts } from './proof.rules.ts'
import { quotaRefusal } from './quota.rules.ts'
import { Id, Time } from './text.ts'

const Person = z.object({ id: Id, name: z.string() })

/** A project that waits for a member to take it over. Until then its owner stays the owner. */
export const ProjectHandOver = z.object({
  project_id: Id,
  project_name: z.string(),
  /** The owner, who asks. */
  from: Person,
  /** The member who is asked. */
  to: Person,
  created_at: Time,
  /** Until when it can be accepted. */
  expires_at: Time,
})
export type ProjectHandOver = z.infer<typeof ProjectHandOver>

/** The same, as a member of the project sees it. */
export const HandOverOffer = ProjectHandOver.extend({
  /** Why the one who asks cannot accept it now, such as a quota of theirs; null for all others, and where nothing is in the way. */
  refusal: z.string().nullable(),
})
export type HandOverOffer = z.infer<typeof HandOverOffer>

const none = [messages.projectNotFound, texts.notFound]

export const handOverApi = {
  get: endpoint('handOver.get', {
    summary: 'The hand-over of the project that waits to be accepted',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: HandOverOffer,
    errors: { 404: none },
  }),
  withdraw: endpoint('handOver.withdraw', {
    summary: 'Withdraw the hand-over of the project',
    auth: 'session',
    status: 204,
    params: ProjectParams,
    errors: { 404: none },
  }),
  accept: endpoint('handOver.accept', {
    summary: 'Take the project over: the owner so far becomes an operator',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: Project,
    errors: {
      403: [proofTexts.needed, texts.notForYou],
      404: none,
      409: [quotaRefusal, accountDeletionTexts.newOwnerLeaves],
    },
  }),
  decline: endpoint('handOver.decline', {
    summary: 'Decline to take the project over',
    auth: 'session',
    status: 204,
    params: ProjectParams,
    errors: { 403: [texts.notForYou], 404: none },
  }),
}
