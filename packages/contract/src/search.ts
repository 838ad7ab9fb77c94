import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { searchKinds } from './search.rules.ts'
import { Id } from './text.ts'

export const SearchKind = z.enum(searchKinds)

/** Something that was found, with what is needed to say what it is and to go there. */
export const SearchHit = z.object({
  kind: SearchKind,
  id: Id,
  name: z.string(),
  /** Null for templates, which belong to nobody. */
  project_id: Id.nullable(),
  project_name: z.string().nullable(),
  /** Null for what has none. */
  status: z.string().nullable(),
})
export type SearchHit = z.infer<typeof SearchHit>

export const searchApi = {
  find: endpoint('search.find', {
    summary:
      "What carries a text in its name, or has it as its id, among the user's objects and the templates: names that begin with it first",
    auth: 'session',
    status: 200,
    query: z.object({ q: z.string().trim().max(100).default('') }),
    response: z.array(SearchHit),
  }),
}
