import { z } from 'zod'
import { binEmptyLimit, binKinds, binTexts } from './bin.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ProjectParams } from './project.ts'
import { quotaRefusal } from './quota.rules.ts'
import { Id, Time } from './text.ts'

const Kind = z.enum(binKinds).meta({ id: 'BinKind' })

/** A disk that is in the bin with its VM. */
export const BinDisk = z.object({ id: Id, name: z.string() })

/** A VM that is in the bin with its VM pool or VM set. */
export const BinVm = z.object({ id: Id, name: z.string() })

/** Something that was deleted and can be restored. */
export const BinItem = z.object({
  /** Of the object; it keeps its id. */
  id: Id,
  project_id: Id,
  kind: Kind,
  name: z.string(),
  deleted_at: Time,
  /** Who deleted it; null once the account was deleted. */
  deleted_by: z.object({ id: Id, name: z.string() }).nullable(),
  /** When it is deleted for good. */
  delete_at: Time,
  /** VMs that are in the bin with a VM pool or a VM set, and come back with it. */
  vms: z.array(BinVm),
  /** Disks that are in the bin with it, and come back with it. */
  disks: z.array(BinDisk),
  /**
   * Disks that were attached to a VM. They are not in the bin, and are attached again if they are still available; those of VMs
   * of a VM pool or a VM set are not.
   */
  attached_disks: z.int(),
  /** Shared ports of a VM that ended when it was deleted. They do not come back. */
  ended_shares: z.int(),
  /** Sizes of its data disks in bytes, and what a snapshot takes. Root disks are not measured. */
  bytes: z.int(),
  /** Whether a VM goes on from its memory when it comes back; null for everything else. */
  has_memory: z.boolean().nullable(),
})
export type BinItem = z.infer<typeof BinItem>

/** What came back. */
export const BinRestored = z.object({
  id: Id,
  kind: Kind,
  /** Another one than before where that is taken now. */
  name: z.string(),
  /** What is not as it was, in sentences. */
  notes: z.array(z.string()),
})
export type BinRestored = z.infer<typeof BinRestored>

/**
 * What is emptied out of the bin. What comes into the bin while somebody is asked whether to empty it is not to go along, so this
 * says what was there: with both, only what fits both is deleted.
 */
export const BinEmpty = z
  .object({
    /** Of the items. Those that are not in the bin any more are skipped. */
    ids: z.array(Id, { error: binTexts.nothingChosen }).max(binEmptyLimit, binTexts.tooManyIds).optional(),
    /** Only items that were deleted at this time or earlier. */
    before: z.iso.datetime({ error: binTexts.beforeInvalid }).optional(),
  })
  .refine(({ ids, before }) => ids !== undefined || before !== undefined, {
    error: binTexts.nothingChosen,
    path: ['ids'],
  })
export type BinEmpty = z.infer<typeof BinEmpty>

/** What was emptied out of the bin. */
export const BinEmptied = z.object({
  /** How many items are being deleted for good. */
  deleted: z.int(),
})
export type BinEmptied = z.infer<typeof BinEmptied>

export const BinItemParams = ProjectParams.extend({ itemId: Id })

export const BinPreviewAsk = z.object({
  /** Of the objects; the id of the project for all of it. */
  ids: z
    .array(Id, { error: binTexts.nothingChosen })
    .min(1, binTexts.nothingChosen)
    .max(binEmptyLimit, binTexts.tooManyIds),
})

/** What objects would do to the bin of the account that owns the project, were they deleted now. */
export const BinPreview = z.object({
  /** What they take there, and how much is kept; null: no limit. */
  bytes: z.int(),
  limit_bytes: z.int().nullable(),
  vms: z.int(),
  limit_vms: z.int().nullable(),
  /** False: they exceed the limit by themselves, and are deleted for good at once. */
  fits: z.boolean(),
  /** How many things in the bin are deleted for good to make room, the oldest first. */
  pushes_out: z.int(),
})
export type BinPreview = z.infer<typeof BinPreview>

const notFound = [messages.projectNotFound, messages.binItemNotFound]

export const binApi = {
  list: endpoint('bin.list', {
    summary: 'What is in the bin of a project, the newest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(BinItem),
    errors: { 404: [messages.projectNotFound] },
  }),
  preview: endpoint('bin.preview', {
    summary: 'What objects of a project would do to the bin, were they deleted now',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    body: BinPreviewAsk,
    response: BinPreview,
    errors: {
      400: [binTexts.nothingChosen, binTexts.tooManyIds],
      404: [messages.projectNotFound],
    },
  }),
  restore: endpoint('bin.restore', {
    summary: 'Restore something from the bin: it comes back with its id, and a VM that ran runs on',
    auth: 'session',
    status: 200,
    params: BinItemParams,
    response: BinRestored,
    errors: { 404: notFound, 409: [quotaRefusal] },
  }),
  delete: endpoint('bin.delete', {
    summary: 'Delete something in the bin for good, with everything that is in the bin with it',
    auth: 'session',
    status: 204,
    params: BinItemParams,
    errors: { 404: notFound },
  }),
  empty: endpoint('bin.empty', {
    summary: 'Empty the bin: delete for good what is named, or what was in the bin at a time',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    body: BinEmpty,
    response: BinEmptied,
    errors: {
      400: [binTexts.nothingChosen, binTexts.tooManyIds, binTexts.beforeInvalid],
      404: [messages.projectNotFound],
    },
  }),
}
