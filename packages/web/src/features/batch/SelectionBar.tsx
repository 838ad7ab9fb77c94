import {
  type Batch,
  type BatchAction,
  type BatchCreate,
  type BatchObject,
  batchSummary,
  batchTitle,
} from '@slipway/contract'
import { type ComponentType, useEffect, useRef, useState } from 'react'
import { useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useBatches, useCreateBatch } from '../../api/batches.ts'
import { newKey } from '../../api/client.ts'
import { errorDetail } from '../../api/errors.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { reasonOf } from '../../ui/reason.ts'
import type { SelectionMarkProps } from '../../ui/selection-mark.ts'
import { toast } from '../../ui/toast.tsx'
import { BatchQuestion, needsQuestion } from './BatchQuestion.tsx'
import { offersOf, type Selectable, takenBy } from './batch-offers.ts'
import { makeMark } from './make-mark.tsx'
import { makeSelection, useSelected } from './selection.ts'

interface SelectionBarProps {
  kind: BatchObject
  all: readonly Selectable[]
  shown: readonly Selectable[]
  /** Takes what stands around each item of the list. */
  onMark: (mark: { Mark: ComponentType<SelectionMarkProps> }) => void
  onDone: () => void
}

/** Above a list while its objects are being selected: how many are, and what can be done with them. */
export function SelectionBar({ kind, all, shown, onMark, onDone }: SelectionBarProps) {
  const { projectId = '' } = useParams()
  const [selection] = useState(makeSelection)
  const bar = useRef<HTMLElement>(null)
  const ids = useSelected(selection)
  const [asking, setAsking] = useState<{ action: BatchAction; objects: readonly Selectable[] } | null>(null)
  const may = useMay()
  const open = useOpenDialog()
  const { mutateAsync, isPending } = useCreateBatch(projectId)

  // It stands in place of the button that had the focus.
  useEffect(() => bar.current?.focus({ preventScroll: true }), [])
  useEffect(() => onMark({ Mark: makeMark(selection) }), [selection, onMark])
  useEffect(() => selection.keep(new Set(all.map(({ id }) => id))), [selection, all])
  useEscape(() => (selection.get().size > 0 ? selection.clear() : onDone()))

  const selected = all.filter(({ id }) => ids.has(id))
  const hidden = selected.filter((one) => !shown.includes(one)).length

  async function send(body: BatchCreate, idempotencyKey: string): Promise<Batch> {
    const batch = await mutateAsync({ body, idempotencyKey })
    setAsking(null)
    selection.clear()
    open('batch', batch.id)
    return batch
  }

  function begin(action: BatchAction, objects: readonly Selectable[]): void {
    if (needsQuestion(action, objects)) {
      setAsking({ action, objects })
      return
    }
    // Those that take more are asked for in their dialogs.
    const body = { action, ids: objects.map(({ id }) => id) } as BatchCreate
    send(body, newKey()).catch((error: unknown) =>
      toast.error('The request could not be sent. Please try again.', { detail: errorDetail(error) }),
    )
  }

  return (
    <section
      ref={bar}
      tabIndex={-1}
      aria-label="Selection"
      className="sheet z-10 outline-none md:sticky md:top-2 mb-3 flex flex-wrap items-center gap-2 px-4 py-2.5"
    >
      <p role="status" className="mr-auto min-w-0 font-medium">
        {selected.length} selected
        {hidden > 0 && <span className="font-normal text-ink-2">, {hidden} of them not shown</span>}
      </p>
      <Button variant="quiet" onClick={() => selection.select(shown.map(({ id }) => id))}>
        Select all {shown.length} shown
      </Button>
      {offersOf[kind].map((offer) => {
        const { taken, reason } = takenBy(offer, selected)
        const isPart = taken.length > 0 && taken.length < selected.length
        return (
          <Button
            key={offer.action}
            variant={offer.label === 'Delete' ? 'danger' : 'secondary'}
            disabled={isPending}
            disabledReason={reasonOf(may(offer.action)) ?? reason}
            onClick={() => begin(offer.action, taken)}
          >
            {offer.label}
            {isPart && ` ${taken.length} of ${selected.length}`}
          </Button>
        )
      })}
      <Button variant="quiet" onClick={onDone}>
        Done
      </Button>
      <Newest projectId={projectId} onOpen={(id) => open('batch', id)} />
      {asking && (
        <BatchQuestion {...asking} projectId={projectId} send={send} onClose={() => setAsking(null)} />
      )}
    </section>
  )
}

/** What came of the newest batch, which may still go on. */
function Newest({ projectId, onOpen }: { projectId: string; onOpen: (id: string) => void }) {
  const { batches } = useBatches(projectId)
  const newest = batches.reduce<(typeof batches)[number] | undefined>(
    (last, one) => (last === undefined || one.id > last.id ? one : last),
    undefined,
  )
  if (!newest) return null
  const { id, action, counts, for_good } = newest
  return (
    <p className="w-full text-hint text-ink-2">
      Last request:{' '}
      <button type="button" onClick={() => onOpen(id)} className="text-accent hover:underline phone:py-2.5">
        {batchTitle(action, counts.total, for_good)}
      </button>
      {`. ${batchSummary(counts)}.`}
    </p>
  )
}

/** Calls back for Escape, unless a dialog or a menu is open, or the key clears a field or closes a form. */
function useEscape(act: () => void): void {
  useEffect(() => {
    function hear(event: KeyboardEvent): void {
      const isElsewhere =
        event.defaultPrevented ||
        (event.target instanceof Element &&
          event.target.closest('[role="dialog"],[role="alertdialog"],[role="menu"],[role="listbox"],form')) ||
        (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox')
      if (event.key === 'Escape' && !isElsewhere) act()
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  })
}
