import { z } from 'zod'
import { type BatchAction, batchActions, batchItemStates, batchLimit, batchTexts } from './batch.rules.ts'
import { DiskSnapshotCreate } from './disk-snapshot.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ProjectParams } from './project.ts'
import { Id, Time } from './text.ts'
import { VmStop, VmTags } from './vm.ts'
import { VmSnapshotCreate } from './vm-snapshot.ts'

const t = batchTexts

const ItemState = z.enum(batchItemStates).meta({ id: 'BatchItemState' })

const Counts = z.object({
  total: z.int(),
  waiting: z.int(),
  /** The call was accepted; its effect may still be under way. */
  done: z.int(),
  failed: z.int(),
  /** Waited when the batch was cancelled. */
  left_out: z.int(),
})

/** One call that is made for many objects by the server, one after the other. */
export const Batch = z.object({
  id: Id,
  project_id: Id,
  /** The call that is made for each object. */
  action: z
    .enum(Object.keys(batchActions) as [BatchAction, ...BatchAction[]])
    .meta({ id: 'BatchActionName' }),
  /** Whether it deletes for good what would go to the bin otherwise. */
  for_good: z.boolean(),
  /** Who requested it; null once the account was deleted. */
  requested_by: z.object({ id: Id, name: z.string() }).nullable(),
  /** How many of its objects are in each state. */
  counts: Counts.meta({ id: 'BatchItemCounts' }),
  created_at: Time,
  /** Null while objects wait. A batch is deleted seven days after it has ended. */
  ended_at: Time.nullable(),
})
export type Batch = z.infer<typeof Batch>

/** What came of a batch for one of its objects. */
export const BatchItem = z.object({
  /** Of the object. */
  id: Id,
  /** Of the object when the batch was requested. */
  name: z.string(),
  state: ItemState,
  /** Why it failed, in the words that the single call is refused with; null otherwise. */
  message: z.string().nullable(),
  /** The snapshot that was created; null where none was. */
  created_id: Id.nullable(),
})
export type BatchItem = z.infer<typeof BatchItem>

export const BatchWithItems = Batch.extend({
  /** In the order of the request. */
  items: z.array(BatchItem),
})
export type BatchWithItems = z.infer<typeof BatchWithItems>

const ids = z
  .array(Id, { error: t.idsMissing })
  .min(1, t.idsMissing)
  .max(batchLimit, t.tooManyIds)
  .refine((all) => new Set(all).size === all.length, t.idTwice)

const of = <A extends BatchAction>(action: A) => z.object({ action: z.literal(action), ids })

/** Calls that delete; what they delete goes to the bin unless it is said otherwise. */
const deletionOf = <A extends BatchAction>(action: A) =>
  of(action).extend({
    /** Delete at once, without keeping anything in the bin. */
    for_good: z.boolean({ error: t.forGoodInvalid }).default(false),
  })

const ofVmSnapshot = VmSnapshotCreate.shape
const ofDiskSnapshot = DiskSnapshotCreate.shape

export const BatchVmStart = of('vm.start')
export const BatchVmStop = of('vm.stop').extend({ force: VmStop.shape.force })
export const BatchVmUpdate = of('vm.update')
  .extend({
    add_tags: VmTags.default([]),
    /** A VM that lacks one of them stays as it is. */
    remove_tags: VmTags.default([]),
  })
  .refine(({ add_tags, remove_tags }) => add_tags.length + remove_tags.length > 0, {
    error: t.noTags,
    path: ['add_tags'],
  })
  .refine(({ add_tags, remove_tags }) => !add_tags.some((tag) => remove_tags.includes(tag)), {
    error: t.tagBoth,
    path: ['remove_tags'],
  })
export const BatchVmDelete = deletionOf('vm.delete')
export const BatchVmSnapshotCreate = of('vmSnapshot.create').extend({
  /** `{name}` in it is replaced by the name of the VM. */
  name: ofVmSnapshot.name,
  description: ofVmSnapshot.description,
  snapshot_type: ofVmSnapshot.snapshot_type.default('disk'),
  retention_days: ofVmSnapshot.retention_days,
})
export const BatchVmSnapshotDelete = deletionOf('vmSnapshot.delete')
export const BatchDiskDelete = deletionOf('disk.delete')
export const BatchDiskSnapshotCreate = of('diskSnapshot.create').extend({
  /** `{name}` in it is replaced by the name of the disk. */
  name: ofDiskSnapshot.name,
  description: ofDiskSnapshot.description,
  snapshot_type: ofDiskSnapshot.snapshot_type.default('full'),
  retention_days: ofDiskSnapshot.retention_days,
})
export const BatchDiskSnapshotDelete = deletionOf('diskSnapshot.delete')
export const BatchVmPoolDelete = deletionOf('vmPool.delete')
export const BatchVmSetDelete = deletionOf('vmSet.delete')

/** Which call is made for which objects, and what that call takes. */
export const BatchCreate = z.discriminatedUnion(
  'action',
  [
    BatchVmStart,
    BatchVmStop,
    BatchVmUpdate,
    BatchVmDelete,
    BatchVmSnapshotCreate,
    BatchVmSnapshotDelete,
    BatchDiskDelete,
    BatchDiskSnapshotCreate,
    BatchDiskSnapshotDelete,
    BatchVmPoolDelete,
    BatchVmSetDelete,
  ],
  { error: t.actionInvalid },
)
export type BatchCreate = z.input<typeof BatchCreate>

export const BatchParams = ProjectParams.extend({ batchId: Id })

const notFound = [messages.projectNotFound, messages.batchNotFound]

export const batchApi = {
  list: endpoint('batch.list', {
    summary: 'The newest batches of a project, newest first, without their items',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(Batch),
    errors: { 404: [messages.projectNotFound] },
  }),
  create: endpoint('batch.create', {
    summary: 'Make one call for many objects; the server makes it for one after the other',
    auth: 'session',
    status: 201,
    idempotent: true,
    params: ProjectParams,
    body: BatchCreate,
    response: Batch,
    errors: {
      400: [
        t.actionInvalid,
        t.idsMissing,
        t.tooManyIds,
        t.idTwice,
        'Not found in this project: <ids>',
        t.noTags,
        t.tagBoth,
        t.forGoodInvalid,
      ],
      404: [messages.projectNotFound],
    },
  }),
  get: endpoint('batch.get', {
    summary: 'A batch with what came of it for each object',
    auth: 'session',
    status: 200,
    params: BatchParams,
    response: BatchWithItems,
    errors: { 404: notFound },
  }),
  cancel: endpoint('batch.cancel', {
    summary: 'Cancel a batch: objects that wait are left out',
    auth: 'session',
    status: 200,
    params: BatchParams,
    response: Batch,
    errors: { 404: notFound, 409: [t.ended] },
  }),
}
