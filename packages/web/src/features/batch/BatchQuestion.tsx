import type { BatchAction } from '@slipway/contract'
import type { Selectable } from './batch-offers.ts'
import { DeleteManyDialog, DeleteManyGroupsDialog, DeleteManyVmsDialog } from './DeleteManyDialog.tsx'
import type { QuestionProps } from './question-props.ts'
import { SnapshotManyDialog } from './SnapshotManyDialog.tsx'
import { StopManyDialog } from './StopManyDialog.tsx'
import { TagManyDialog } from './TagManyDialog.tsx'

/** Whether something is lost when this VM stops. */
const losesByStop = ({ persistent, status }: Selectable): boolean =>
  persistent === false || status === 'suspended'

/** Whether an action is asked about, or needs to know more. */
export const needsQuestion = (action: BatchAction, objects: readonly Selectable[]): boolean =>
  action !== 'vm.start' && (action !== 'vm.stop' || objects.some(losesByStop))

/** What has to be said before an action for many objects. */
export function BatchQuestion(props: QuestionProps) {
  switch (props.action) {
    case 'vm.update':
      return <TagManyDialog {...props} />
    case 'vmSnapshot.create':
    case 'diskSnapshot.create':
      return <SnapshotManyDialog {...props} action={props.action} />
    case 'vm.stop':
      return <StopManyDialog {...props} />
    case 'vm.delete':
      return <DeleteManyVmsDialog {...props} />
    case 'vmPool.delete':
    case 'vmSet.delete':
      return <DeleteManyGroupsDialog {...props} action={props.action} />
    case 'disk.delete':
    case 'vmSnapshot.delete':
    case 'diskSnapshot.delete':
      return <DeleteManyDialog {...props} action={props.action} />
    default:
      return null
  }
}
