import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { operationObjects, operationTexts } from './operation.rules.ts'
import { ProjectParams } from './project.ts'
import { Id, Time } from './text.ts'

const ObjectType = z.enum(operationObjects).meta({ id: 'OperationObject' })
export const OperationState = z.enum(['waiting', 'running'])

/** Long work under way: a download, a copy, a restore, or a snapshot being merged into the one after it. */
export const Operation = z.object({
  /** That of the object: there is at most one operation on it. */
  id: Id,
  /** Null once the project has been deleted. */
  project_id: Id.nullable(),
  /** A stable word for programs, such as `disk.create`. */
  action: z.string(),
  object: z.object({ type: ObjectType, id: Id, name: z.string() }),
  state: OperationState,
  /** Place among the waiting operations of this kind in the project, from 1; null when it runs. */
  position: z.int().min(1).nullable(),
  /** What it waits for, in a sentence; null when it runs. */
  message: z.string().nullable(),
  /** From 0 to 1; null while unknown. */
  progress: z.number().min(0).max(1).nullable(),
  requested_at: Time,
  /** Null until it runs. */
  started_at: Time.nullable(),
  can_cancel: z.boolean(),
})
export type Operation = z.infer<typeof Operation>

/** The same for those who run the installation: with whose it is. */
export const AnyOperation = Operation.extend({
  project_name: z.string().nullable(),
  owner: z.object({ id: Id, name: z.string() }).nullable(),
})
export type AnyOperation = z.infer<typeof AnyOperation>

const OperationParams = z.object({ operationId: Id })

const refused = { 403: [operationTexts.refused] }
const cannotCancel = { 404: [messages.operationNotFound], 409: [operationTexts.notCancellable] }

export const operationApi = {
  list: endpoint('operation.list', {
    summary: 'The long operations of a project that run or wait, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(Operation),
    errors: { 404: [messages.projectNotFound] },
  }),
  cancel: endpoint('operation.cancel', {
    summary: 'Cancel an operation: a creation becomes failed, a restore leaves the VM as it is',
    auth: 'session',
    status: 204,
    params: ProjectParams.extend(OperationParams.shape),
    errors: { ...cannotCancel, 404: [messages.projectNotFound, messages.operationNotFound] },
  }),
  listAll: endpoint('operation.listAll', {
    summary: 'The long operations of all projects; for those named as administrators',
    auth: 'session',
    status: 200,
    response: z.array(AnyOperation),
    errors: refused,
  }),
  cancelAny: endpoint('operation.cancelAny', {
    summary: 'Cancel an operation of any project; for those named as administrators',
    auth: 'session',
    status: 204,
    params: OperationParams,
    errors: { ...refused, ...cannotCancel },
  }),
}
