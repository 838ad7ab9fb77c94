import { type AnyOperation, operationTexts, operationTitle } from '@slipway/contract'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAllOperations, useCancelAnyOperation } from '../../api/admin.ts'
import { errorText } from '../../api/errors.ts'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { CancelQuestion } from '../operation/CancelDialog.tsx'
import { stateText } from '../operation/state-text.ts'

export function Component() {
  const { data: operations = [], isPending, error, refetch } = useAllOperations()
  const { mutateAsync } = useCancelAnyOperation()
  const [asked, setAsked] = useState<AnyOperation | null>(null)
  return (
    <>
      <PageHeader
        title="Operations"
        description="Downloads, copies, restores and snapshots of all projects that run or wait, the oldest first."
      />
      {isPending && <LoadingState text="Loading operations..." outline="rows" />}
      {error && (
        <ErrorState
          title="Error Loading Operations"
          message={errorText(error, 'Failed to load operations. Please try again.')}
          onRetry={() => void refetch()}
        />
      )}
      {!isPending && !error && operations.length === 0 && (
        <EmptyState title="No operations">Nothing runs or waits now.</EmptyState>
      )}
      {operations.length > 0 && !error && (
        <ul className="sheet divide-y divide-line">
          {operations.map((operation) => (
            <OperationRow key={operation.id} operation={operation} onCancel={() => setAsked(operation)} />
          ))}
        </ul>
      )}
      {asked && <CancelQuestion operation={asked} cancel={mutateAsync} onClose={() => setAsked(null)} />}
    </>
  )
}

function OperationRow({ operation, onCancel }: { operation: AnyOperation; onCancel: () => void }) {
  const { object, owner, project_name, requested_at, can_cancel } = operation
  const title = operationTitle(operation)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-[1_1_16rem]">
        <h2 className="text-body font-[550] wrap-anywhere">
          {title} <bdi>{object.name}</bdi>
        </h2>
        <p className="text-hint wrap-anywhere text-ink-2">
          {stateText(operation)}. Requested {formatDateTime(requested_at)}.
        </p>
        <p className="text-hint wrap-anywhere text-ink-2">
          {owner ? (
            <>
              <Link to={paths.adminAccount(owner.id)} className="link">
                <bdi>{owner.name}</bdi>
              </Link>
              , project <bdi>{project_name}</bdi>
            </>
          ) : (
            'The project was deleted.'
          )}
        </p>
      </div>
      <Button
        size="sm"
        className="phone:h-10"
        aria-haspopup="dialog"
        aria-label={`Cancel: ${title} ${object.name}`}
        disabledReason={can_cancel ? undefined : operationTexts.notCancellable}
        onClick={onCancel}
      >
        Cancel
      </Button>
    </li>
  )
}
