import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { noticeLimit, noticeTexts, noticeTones } from './notice.rules.ts'
import { hasHiddenCharacters } from './text.rules.ts'
import { Time } from './text.ts'

const t = noticeTexts

export const NoticeTone = z.enum(noticeTones, { error: t.tone })

/** What the operator tells everybody, on every page. */
export const Notice = z.object({
  tone: NoticeTone,
  /** One line of plain text. */
  text: z.string(),
  set_at: Time,
})
export type Notice = z.infer<typeof Notice>

export const NoticeSet = z.object({
  tone: NoticeTone,
  text: z
    .string({ error: t.missing })
    .trim()
    .min(1, t.missing)
    .max(noticeLimit, t.tooLong)
    .refine((text) => !hasHiddenCharacters(text), t.hidden),
})
export type NoticeSet = z.infer<typeof NoticeSet>

/** It is read with everything else that the host says of itself. */
export const noticeApi = {
  set: endpoint('notice.set', {
    summary: 'Show a notice to everybody on every page, in place of the one there is; for administrators',
    auth: 'session',
    status: 200,
    body: NoticeSet,
    response: Notice,
    errors: { 400: [t.missing, t.tooLong, t.hidden, t.tone], 403: [t.refused] },
  }),
  remove: endpoint('notice.remove', {
    summary: 'Remove the notice; for administrators',
    auth: 'session',
    status: 204,
    errors: { 403: [t.refused], 404: [t.none] },
  }),
}
