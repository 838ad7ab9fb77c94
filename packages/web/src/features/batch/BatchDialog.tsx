import {
  type BatchItem,
  type BatchItemState,
  type BatchWithItems,
  batchSummary,
  batchTitle,
} from '@slipway/contract'
import { useMay } from '../../api/access.ts'
import { useBatch, useCancelBatch } from '../../api/batches.ts'
import { errorText } from '../../api/errors.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { toast } from '../../ui/toast.tsx'

interface BatchDialogProps {
  projectId: string
  batchId: string
  onClose: () => void
}

/** What came of a batch for each of its objects, while it goes on and afterwards. */
export function BatchDialog({ projectId, batchId, onClose }: BatchDialogProps) {
  const { data: batch, error, refetch } = useBatch(projectId, batchId)
  const cancel = useCancelBatch(projectId)
  const may = useMay()
  const waiting = batch?.counts.waiting ?? 0
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={onClose}
      title={batch ? batchTitle(batch.action, batch.counts.total, batch.for_good) : 'Batch'}
      description={batch && <Summary batch={batch} />}
      footer={
        <>
          {waiting > 0 && (
            <Button
              busy={cancel.isPending}
              busyText="Cancelling..."
              disabledReason={reasonOf(may('batch.cancel'))}
              onClick={() =>
                cancel.mutate(batchId, {
                  onError: (reason) => toast.error(errorText(reason, 'The batch could not be cancelled.')),
                })
              }
            >
              Leave out the rest
            </Button>
          )}
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {!batch && !error && <LoadingState text="Loading results..." />}
      {!batch && error && (
        <ErrorState
          title="Results could not be loaded"
          message={errorText(error, 'Failed to load the results.')}
          onRetry={() => void refetch()}
        />
      )}
      {batch && <Results items={batch.items} />}
    </Dialog>
  )
}

function Summary({ batch: { action, counts, for_good, requested_by, ended_at } }: { batch: BatchWithItems }) {
  return (
    <>
      <span role="status">{batchSummary(counts)}.</span>
      {requested_by && (
        <>
          {' '}
          Requested by <bdi>{requested_by.name}</bdi>.
        </>
      )}{' '}
      {ended_at === null && 'The server goes on when this is closed.'}
      {ended_at === null && (
        <WorkTrack
          className="mt-3"
          label={batchTitle(action, counts.total, for_good)}
          value={(counts.total - counts.waiting) / counts.total}
        />
      )}
    </>
  )
}

/** What needs a look stands first. */
const parts: readonly { state: BatchItemState; title: string }[] = [
  { state: 'failed', title: 'Failed' },
  { state: 'left_out', title: 'Left out' },
  { state: 'waiting', title: 'Waiting' },
  { state: 'done', title: 'Requested' },
]

function Results({ items }: { items: readonly BatchItem[] }) {
  return (
    <div className="grid gap-4">
      {parts.map(({ state, title }) => {
        const of = items.filter((item) => item.state === state)
        return of.length > 0 && <Part key={state} title={`${title} (${of.length})`} items={of} />
      })}
    </div>
  )
}

function Part({ title, items }: { title: string; items: readonly BatchItem[] }) {
  return (
    <section aria-label={title}>
      <h3 className="text-label text-ink-3">{title}</h3>
      <ul className="mt-1 divide-y divide-line border-y border-line">
        {items.map(({ id, name, message }) => (
          <li
            key={id}
            // A thousand of them are there, and a dozen are seen.
            className="py-1.5 wrap-anywhere [contain-intrinsic-size:auto_33px] [content-visibility:auto]"
          >
            <bdi>{name}</bdi>
            {message !== null && <p className="text-hint text-bad">{message}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}
