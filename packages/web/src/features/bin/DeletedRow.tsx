import { type ReactNode, useState } from 'react'
import { formatDateTime, formatShortDate } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { LedgerRow } from '../../ui/Ledger.tsx'

/** The columns that every row ends with, but for the one of its size. */
export const deletedColumns = {
  name: { label: 'Name', width: 'minmax(0,2fr)' },
  deleted: { label: 'Deleted', width: 'minmax(0,1.5fr)' },
  keptUntil: { label: 'Kept until', width: '6.5rem' },
  actions: { label: '', width: '12.5rem' },
}

interface DeletedRowProps {
  deleted: {
    name: string
    deleted_at: string
    deleted_by: { name: string } | null
    delete_at: string
  }
  /** What it is, such as `disk`. */
  noun: string
  status: ReactNode
  /** In columns after those that all have. */
  facts?: { label: string; value: ReactNode }[]
  note?: string | null
  restore: () => Promise<unknown>
  onDelete: () => void
  /** Why somebody may not. */
  refused?: { restore: string | undefined; delete: string | undefined }
}

/** Something in a bin, with who deleted it, until when it is kept, and what can be done with it. */
export function DeletedRow({
  deleted,
  noun,
  status,
  facts = [],
  note,
  restore,
  onDelete,
  refused,
}: DeletedRowProps) {
  const [busy, setBusy] = useState(false)
  const { name, deleted_at, deleted_by, delete_at } = deleted
  const begin = async () => {
    setBusy(true)
    await restore()
    setBusy(false)
  }
  return (
    <LedgerRow
      name={name}
      status={status}
      facts={[
        {
          label: 'Deleted',
          value: (
            <>
              {formatDateTime(deleted_at)}
              {deleted_by && (
                <>
                  {' '}
                  by <bdi>{deleted_by.name}</bdi>
                </>
              )}
            </>
          ),
        },
        {
          label: 'Kept until',
          value: <span title={formatDateTime(delete_at)}>{formatShortDate(delete_at)}</span>,
        },
        ...facts,
      ]}
      note={note && <p className="text-hint text-ink-2">{note}</p>}
      actions={
        <>
          <Button
            size="sm"
            className="phone:h-10"
            aria-label={`Restore ${noun} ${name}`}
            busy={busy}
            busyText="Restoring..."
            disabledReason={refused?.restore}
            onClick={() => void begin()}
          >
            Restore
          </Button>
          <Button
            size="sm"
            className="phone:h-10"
            aria-haspopup="dialog"
            aria-label={`Delete for Good: ${noun} ${name}`}
            disabledReason={refused?.delete}
            onClick={onDelete}
          >
            Delete for Good
          </Button>
        </>
      }
    />
  )
}
