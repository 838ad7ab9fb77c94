import { type Operation, operationTitle } from '@slipway/contract'
import { useId } from 'react'
import { Link } from 'react-router'
import { useOperations } from '../../api/operations.ts'
import { objectPaths } from '../../paths.ts'
import { cx } from '../../ui/cx.ts'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { CancelButton } from './CancelButton.tsx'
import { OperationDialogs } from './OperationDialogs.tsx'
import { stateText } from './state-text.ts'

/** The long work of a project that runs or waits, with a way to end it; nothing when there is none. */
export function Operations({ projectId, className }: { projectId: string; className?: string }) {
  const { operations, loading, error } = useOperations(projectId)
  return (
    <>
      {operations.length > 0 && <Rows projectId={projectId} operations={operations} className={className} />}
      <OperationDialogs projectId={projectId} operations={operations} loading={loading || error !== null} />
    </>
  )
}

interface RowsProps {
  projectId: string
  operations: readonly Operation[]
  className: string | undefined
}

function Rows({ projectId, operations, className }: RowsProps) {
  const titleId = useId()
  return (
    <Sheet
      title={<span id={titleId}>Operations</span>}
      aria-labelledby={titleId}
      actions={<span className="text-ink-3">{operations.length}</span>}
      className={className}
    >
      <ul className="max-h-96 overflow-y-auto">
        {operations.map((operation) => (
          <OperationRow key={operation.id} projectId={projectId} operation={operation} />
        ))}
      </ul>
    </Sheet>
  )
}

function OperationRow({ projectId, operation }: { projectId: string; operation: Operation }) {
  const { object, state, progress, can_cancel } = operation
  const title = operationTitle(operation)
  const isRunning = state === 'running'
  return (
    <li className="group">
      <div className="flex items-center gap-4 px-4 py-2.5">
        <div className="min-w-0 flex-1">
          <p className="wrap-anywhere">
            {title}{' '}
            <Link to={objectPaths[object.type](projectId, object.id)} className="link font-[550]" dir="auto">
              {object.name}
            </Link>
          </p>
          <p className="text-hint wrap-anywhere text-ink-2">{stateText(operation)}</p>
        </div>
        {can_cancel && <CancelButton operation={operation} />}
      </div>
      <div className={cx(!isRunning && 'group-last:hidden', 'border-t border-line')}>
        {isRunning && <WorkTrack label={`${title} ${object.name}`} value={progress ?? undefined} />}
      </div>
    </li>
  )
}
