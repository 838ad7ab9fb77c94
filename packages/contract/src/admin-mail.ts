import { z } from 'zod'
import { adminMailPage, adminMailStates, adminMailTexts } from './admin-mail.rules.ts'
import { endpoint } from './endpoint.ts'
import { Id, Time } from './text.ts'

const t = adminMailTexts

const MailState = z.enum(adminMailStates).meta({ id: 'AdminMailState' })

/** A mail of the server, without what is in it: links sign people in. */
export const AdminMail = z.object({
  id: Id,
  /** What it is for, in a word such as `reset` or `invitation`. */
  purpose: z.string(),
  recipient: z.string(),
  /** The account that it is about; null for somebody without one, or whose account is gone. */
  account_id: Id.nullable(),
  state: MailState,
  created_at: Time,
  tries: z.int(),
  /** When it was tried last; null: not yet. */
  tried_at: Time.nullable(),
  /** Whether a try is under way. */
  is_being_sent: z.boolean(),
  /** When it is tried next; null when it is not, or is being sent. */
  next_try_at: Time.nullable(),
  /** When the link in it stops working; null: it has none that does. */
  expires_at: Time.nullable(),
  /** Why the last try failed; null when it did not. */
  failure: z.string().nullable(),
  /** Whether it can be sent at once. */
  can_be_sent: z.boolean(),
})
export type AdminMail = z.infer<typeof AdminMail>

/** `next` is the `before` of the next page; null on the last one. */
export const AdminMailPage = z.object({
  mails: z.array(AdminMail),
  next: Id.nullable(),
  /** How many wait and how many failed in the last 30 days, on whatever page. */
  waiting: z.int(),
  failed: z.int(),
  /** When the oldest was queued that waits; null: none does. */
  oldest_waiting_at: Time.nullable(),
})
export type AdminMailPage = z.infer<typeof AdminMailPage>

export const adminMailApi = {
  list: endpoint('adminMail.list', {
    summary:
      'Mails of the server, newest first: those that wait, those that failed, and those of the last days that were sent; for administrators',
    auth: 'session',
    status: 200,
    query: z.object({
      state: MailState.optional(),
      /** Only what is older than this mail. */
      before: Id.optional(),
      limit: z.coerce.number().int().min(1).max(adminMailPage.max).default(adminMailPage.default),
    }),
    response: AdminMailPage,
    errors: { 403: [t.refused] },
  }),
  retry: endpoint('adminMail.retry', {
    summary: 'Send a mail at once that failed or waits; for administrators',
    auth: 'session',
    status: 200,
    params: z.object({ mailId: Id }),
    response: AdminMail,
    errors: { 403: [t.refused], 404: [t.notFound], 409: [t.sent, t.beingSent, t.over] },
  }),
}
