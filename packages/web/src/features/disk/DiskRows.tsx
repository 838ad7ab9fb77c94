import { ChevronDown, ChevronRight, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { Button, IconButton } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'

interface DiskRowsProps {
  label: string
  rows: readonly {
    key: string
    /** Beside `Disk 1` while the row is closed. */
    summary: ReactNode
    /** While it is open. */
    fields: ReactNode
    /** Whether something is still missing: an open row that is not finished stays open when one is added. */
    finished: boolean
  }[]
  onAdd: () => void
  onRemove: (row: number) => void
  /** Why there can be no more. */
  fullReason?: string | undefined
  /** Above the rows. */
  hint?: ReactNode
}

/** Disks in a create form: a ruled accordion with one row open at a time, the first by default. */
export function DiskRows({ label, rows, onAdd, onRemove, fullReason, hint }: DiskRowsProps) {
  const labelId = useId()
  const addButton = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState<number | null>(0)
  const [removing, setRemoving] = useState<number | null>(null)

  const removeRow = () => {
    if (removing !== null) {
      onRemove(removing)
      // The open row stays open; where it goes itself, the first one opens.
      setOpen((row) => (row === removing ? 0 : row !== null && row > removing ? row - 1 : row))
    }
    setRemoving(null)
  }

  return (
    <div className="min-w-0">
      <div className="mb-1.5 flex items-baseline justify-between gap-3 text-dense">
        <p id={labelId} className="font-medium">
          {label}
        </p>
        <span className="text-label text-ink-3">{countText(rows.length)}</span>
      </div>
      {hint && <p className="-mt-1 mb-2.5 text-hint wrap-anywhere text-ink-3">{hint}</p>}
      {rows.length > 0 && (
        <ul
          aria-labelledby={labelId}
          className="mb-2.5 divide-y divide-line-control rounded-control border border-line-control"
        >
          {rows.map(({ key, summary, fields }, row) => {
            const isOpen = open === row
            const Chevron = isOpen ? ChevronDown : ChevronRight
            return (
              <li key={key}>
                <div className="flex items-center pr-1.5">
                  <button
                    type="button"
                    aria-expanded={isOpen}
                    onClick={() => setOpen(isOpen ? null : row)}
                    className="flex h-10 min-w-0 flex-1 items-center gap-2.5 rounded-control px-3 text-left focus-visible:-outline-offset-2 phone:h-12"
                  >
                    <Chevron size={14} strokeWidth={1.6} aria-hidden className="flex-none text-ink-3" />
                    <span className="font-[550] whitespace-nowrap">Disk {row + 1}</span>
                    {!isOpen && summary}
                  </button>
                  <IconButton
                    size="sm"
                    label={`Remove disk ${row + 1}`}
                    icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
                    onClick={() => setRemoving(row)}
                  />
                </div>
                {isOpen && <div className="px-3 pt-0.5 pb-3.5 md:pl-9">{fields}</div>}
              </li>
            )
          })}
        </ul>
      )}
      <Button
        ref={addButton}
        size="sm"
        icon={<Plus size={14} strokeWidth={1.6} aria-hidden />}
        className="phone:h-10"
        disabledReason={fullReason}
        onClick={() => {
          onAdd()
          const unfinished = open !== null && rows[open]?.finished === false
          if (!unfinished) setOpen(rows.length)
        }}
      >
        Add Disk
      </Button>
      <ConfirmDialog
        open={removing !== null}
        onOpenChange={() => setRemoving(null)}
        title="Remove disk"
        confirmLabel="Remove"
        busyLabel="Removing..."
        busy={false}
        onConfirm={removeRow}
        focusAfter={() => addButton.current}
      >
        Remove this disk?
      </ConfirmDialog>
    </div>
  )
}

function countText(count: number): string {
  if (count === 0) return 'None'
  return count === 1 ? '1 disk' : `${count} disks`
}
