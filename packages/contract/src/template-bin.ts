import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { templateTexts } from './template.rules.ts'
import { Id, Time } from './text.ts'

/** A template that was deleted and can be restored. */
export const BinTemplate = z.object({
  /** Of the template; it keeps its id. */
  id: Id,
  name: z.string(),
  description: z.string(),
  default_cpu: z.int(),
  default_memory_mb: z.int(),
  /** Since when it was not offered any more; it comes back retired. Null: it is offered again. */
  retired_at: Time.nullable(),
  deleted_at: Time,
  /** Who deleted it; null once the account was deleted. */
  deleted_by: z.object({ id: Id, name: z.string() }).nullable(),
  /** When it is deleted for good. */
  delete_at: Time,
})
export type BinTemplate = z.infer<typeof BinTemplate>

/** What came back. */
export const BinTemplateRestored = z.object({
  id: Id,
  /** Another one than before where another template has that now. */
  name: z.string(),
})
export type BinTemplateRestored = z.infer<typeof BinTemplateRestored>

const Params = z.object({ itemId: Id })
const refusals = { 403: [templateTexts.adminOnly], 404: [messages.binItemNotFound] }

export const templateBinApi = {
  list: endpoint('templateBin.list', {
    summary: 'The templates that are in the bin, the newest first; for administrators',
    auth: 'session',
    status: 200,
    response: z.array(BinTemplate),
    errors: { 403: [templateTexts.adminOnly] },
  }),
  restore: endpoint('templateBin.restore', {
    summary: 'Restore a template from the bin; for administrators',
    auth: 'session',
    status: 200,
    params: Params,
    response: BinTemplateRestored,
    errors: refusals,
  }),
  delete: endpoint('templateBin.delete', {
    summary: 'Delete a template in the bin for good; for administrators',
    auth: 'session',
    status: 204,
    params: Params,
    errors: refusals,
  }),
}
