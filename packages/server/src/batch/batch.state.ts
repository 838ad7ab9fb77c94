/** A batch as it is stored. */
import type { BatchAction, BatchItemState, batchApi, Parsed } from '@slipway/contract'

type BatchBody = Parsed<typeof batchApi.create>['body']

/** The body of the request without the ids. */
export type BatchRequest<B = BatchBody> = B extends { action: BatchAction } ? Omit<B, 'ids'> : never

/** What is needed to make its calls. */
export interface BatchRecord {
  id: string
  projectId: string
  /** Null once the account of whoever requested it was deleted. */
  accountId: string | null
  request: BatchRequest
}

export interface BatchObject {
  id: string
  name: string
}

/** An object of a batch, at its place in the request. */
export interface BatchItemRecord {
  batchId: string
  place: number
  objectId: string
  objectName: string
}

/** What came of an item. */
export interface BatchResult {
  state: Exclude<BatchItemState, 'waiting'>
  message: string | null
  createdId: string | null
}

/** Whether a batch deletes for good; one that was stored before that could be said does not. */
export const isForGood = (request: BatchRequest): boolean =>
  'for_good' in request && request.for_good === true
