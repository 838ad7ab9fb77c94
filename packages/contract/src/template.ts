import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import {
  isBootImageUrl,
  isWebAddress,
  templateCpuOptions,
  templateMemoryOptionsMb,
  templateTexts,
} from './template.rules.ts'
import { Id, name, Time } from './text.ts'

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

const t = templateTexts

/** The fields stand in the order in which they are checked. */
export const TemplateCreate = z.object({
  name: name(t.nameMissing),
  description: z
    .string({ error: t.descriptionMissing })
    .trim()
    .min(1, t.descriptionMissing)
    .max(1000, 'Use at most 1000 characters for the description'),
  default_cpu: z.literal(templateCpuOptions, { error: t.invalidCpu }),
  default_memory_mb: z.literal(templateMemoryOptionsMb, { error: t.invalidMemory }),
  /** Address of a picture. Null, empty or absent: none. */
  image_url: z
    .string({ error: t.invalidImageUrl })
    .trim()
    .max(2048, t.invalidImageUrl)
    .refine((url) => url === '' || isWebAddress(url), t.invalidImageUrl)
    .refine((url) => !isBootImageUrl(url), t.bootImage)
    .nullish()
    .transform((url) => url || null),
})
export type TemplateCreate = z.infer<typeof TemplateCreate>

export const templateApi = {
  list: endpoint('template.list', {
    summary: 'The template catalogue',
    auth: 'session',
    status: 200,
    response: z.array(Template),
  }),
  create: endpoint('template.create', {
    summary: 'Add a template to the catalogue of all users; its VMs boot the built-in image',
    auth: 'session',
    status: 201,
    body: TemplateCreate,
    response: Template,
    errors: {
      400: [
        t.nameMissing,
        t.descriptionMissing,
        t.invalidCpu,
        t.invalidMemory,
        t.invalidImageUrl,
        t.bootImage,
      ],
      403: [t.adminOnly],
    },
  }),
}
