import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { Id, Time } from './text.ts'

export const Template = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  image_url: z.string().nullable(),
  default_cpu: z.int(),
  default_memory_mb: z.int(),
  created_at: Time,
})
export type Template = z.infer<typeof Template>

export const templateApi = {
  list: endpoint('GET /api/templates', {
    id: 'template.list',
    summary: 'The template catalogue',
    auth: 'session',
    status: 200,
    response: z.array(Template),
  }),
}
