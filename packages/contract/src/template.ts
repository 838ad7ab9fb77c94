import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { ForGood } from './for-good.ts'
import { queueTexts } from './queue.rules.ts'
import { startScriptBodyBytes, startScriptTexts } from './start-script.rules.ts'
import { StartScriptText } from './start-script-text.ts'
import {
  demandedSha256,
  isBootImageUrl,
  isWebAddress,
  templateCpuOptions,
  templateMemoryOptionsMb,
  templateTexts,
} from './template.rules.ts'
import { Id, name, Time } from './text.ts'

export const ImageState = z.enum(['ready', 'absent', 'coming', 'failed'])

/** The disk image that VMs of a template start from. */
export const TemplateImage = z.object({
  /** `absent`: fetched or built when it is first used, or when asked for by `template.prepare`. */
  state: ImageState,
  /** Per cent of what is under way, null while nobody knows. */
  progress: z.int().min(0).max(100).nullable(),
  /** A sentence: what is under way, or why it failed. */
  message: z.string().nullable(),
  /** Of the root disk that VMs have without a size of their own, rounded up; null where that is not known yet. */
  root_disk_gb: z.int().nullable(),
})

export const Template = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  image_url: z.string().nullable(),
  default_cpu: z.int(),
  default_memory_mb: z.int(),
  created_at: Time,
  /** The disk image its VMs start from. */
  image: TemplateImage,
  /** Whether its VMs run a start script unless they have one of their own; see `template.startScript`. */
  has_start_script: z.boolean(),
})
export type Template = z.infer<typeof Template>

const t = templateTexts

/**
 * Address of a boot image, which VMs of the template start from (see `isBootImageUrl`), or of a picture for its card.
 * Null, empty or absent: none.
 */
const ImageUrl = z
  .string({ error: t.invalidImageUrl })
  .trim()
  .max(2048, t.invalidImageUrl)
  .refine((url) => url === '' || isWebAddress(url), t.invalidImageUrl)
  .refine((url) => !isBootImageUrl(url) || demandedSha256(url) !== undefined, t.invalidChecksum)
  .nullish()
  .transform((url) => url || null)

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
  image_url: ImageUrl,
  /**
   * What VMs that are created from it run, unless they have a start script of their own. Null: none. Absent: none, or
   * that of before when a template is changed.
   */
  start_script: StartScriptText.nullish(),
})
export type TemplateCreate = z.infer<typeof TemplateCreate>

/** Everybody who may create VMs of a template may read it. */
export const TemplateStartScript = z.object({
  /** Null where the template has none. */
  script: z.string().nullable(),
})
export type TemplateStartScript = z.infer<typeof TemplateStartScript>

export const ImageCheck = z.object({ image_url: ImageUrl })
export const BootSource = z.enum(['address', 'built-in'])

/** What VMs of a template with an image URL would start from. */
export const ImageFound = z.object({
  /** `address`: the image at the address. `built-in`: the Debian image that comes with Slipway. */
  boots: BootSource,
  /** Of the image at the address, such as `qcow2`; `packed` when it has to be unpacked to tell. */
  format: z.string().nullable(),
  /** Bytes to fetch, and the size of the disk they make; null where that is not known yet. */
  download_bytes: z.int().nullable(),
  disk_bytes: z.int().nullable(),
})
export type ImageFound = z.infer<typeof ImageFound>

/** A template as those see it who look after the catalogue. */
export const CatalogueTemplate = Template.extend({
  /** Since when it is not offered any more; null: it is. */
  retired_at: Time.nullable(),
  /** It comes with Slipway. */
  built_in: z.boolean(),
  /** VMs, and pools and sets, that were created from it and exist. */
  vms: z.int(),
  groups: z.int(),
})
export type CatalogueTemplate = z.infer<typeof CatalogueTemplate>

const TemplateParams = z.object({ templateId: Id })
const { noCloudInit: _, ...ofEveryScript } = startScriptTexts
const scriptProblems = [...Object.values(ofEveryScript), t.scriptWithoutCloudInit]
const ofCatalogue = { 403: [t.adminOnly], 404: [t.notFound] }

export const templateApi = {
  listAll: endpoint('template.listAll', {
    summary: 'All templates, those that are not offered included; for administrators',
    auth: 'session',
    status: 200,
    response: z.array(CatalogueTemplate),
    errors: { 403: [t.adminOnly] },
  }),
  update: endpoint('template.update', {
    summary: 'Change a template; VMs that exist keep what they have',
    auth: 'session',
    status: 200,
    bodyBytes: startScriptBodyBytes,
    params: TemplateParams,
    body: TemplateCreate,
    response: Template,
    errors: {
      ...ofCatalogue,
      400: ['The same sentences as those of a new template'],
      409: [t.builtIn],
    },
  }),
  retire: endpoint('template.retire', {
    summary: 'Offer a template no longer; VMs, pools and sets of it go on',
    auth: 'session',
    status: 200,
    params: TemplateParams,
    response: Template,
    errors: { ...ofCatalogue, 409: [t.alreadyRetired] },
  }),
  offer: endpoint('template.offer', {
    summary: 'Offer a retired template again',
    auth: 'session',
    status: 200,
    params: TemplateParams,
    response: Template,
    errors: { ...ofCatalogue, 409: [t.alreadyOffered] },
  }),
  delete: endpoint('template.delete', {
    summary: 'Delete a template that nothing was created from; it goes to the bin',
    auth: 'session',
    status: 204,
    params: TemplateParams,
    query: ForGood,
    errors: {
      ...ofCatalogue,
      409: [t.builtIn, 'This template is used by <n> VMs and <n> pools and sets. Retire it instead.'],
    },
  }),
  list: endpoint('template.list', {
    summary: 'The template catalogue',
    auth: 'session',
    status: 200,
    response: z.array(Template),
  }),
  create: endpoint('template.create', {
    summary: 'Add a template to the catalogue of all users; a boot image is looked at first, then fetched',
    auth: 'session',
    status: 201,
    idempotent: true,
    bodyBytes: startScriptBodyBytes,
    body: TemplateCreate,
    response: Template,
    errors: {
      400: [
        t.nameMissing,
        t.descriptionMissing,
        t.invalidCpu,
        t.invalidMemory,
        t.invalidImageUrl,
        t.invalidChecksum,
        ...scriptProblems,
        'Or a sentence that says what is wrong with the boot image',
      ],
      403: [t.adminOnly],
      429: [queueTexts.imageChecks],
    },
  }),
  startScript: endpoint('template.startScript', {
    summary:
      'The start script of a template, which VMs run that are created from it without one of their own',
    auth: 'session',
    status: 200,
    params: TemplateParams,
    response: TemplateStartScript,
    errors: { 404: [t.notFound] },
  }),
  checkImage: endpoint('template.checkImage', {
    summary:
      'What VMs of a template with this image URL would start from; fetches no more than its first bytes',
    auth: 'session',
    status: 200,
    body: ImageCheck,
    response: ImageFound,
    errors: {
      400: [
        t.invalidImageUrl,
        t.invalidChecksum,
        'Or a sentence that says what is wrong with the boot image',
      ],
      403: [t.adminOnly],
      429: [queueTexts.imageChecks],
    },
  }),
  prepare: endpoint('template.prepare', {
    summary: "Fetch or build a template's image now, or try again after a failure",
    auth: 'session',
    status: 202,
    params: z.object({ templateId: Id }),
    response: Template,
    errors: { 404: [t.notFound] },
  }),
}
