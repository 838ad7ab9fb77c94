import type { Batch, BatchAction, BatchCreate } from '@slipway/contract'
import type { Selectable } from './batch-offers.ts'

/** Of what is asked before an action for many objects. */
export interface QuestionProps {
  projectId: string
  action: BatchAction
  objects: readonly Selectable[]
  send: (body: BatchCreate, idempotencyKey: string) => Promise<Batch>
  onClose: () => void
}
