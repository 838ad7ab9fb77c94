import { cloneElement, type ReactElement, type ReactNode, use, useId } from 'react'
import { CardGrid } from './CardGrid.tsx'
import { cx } from './cx.ts'
import { SelectionMark } from './selection-mark.ts'

/** From this width on the facts of a row stand in columns; the class names below say the same. */
const columnsFrom = 960
const likelyHeight = (width: number) => (width < columnsFrom ? 142 : 57)

interface LedgerProps<T> {
  /** Names the list. */
  label: string
  /**
   * The heads of the name, the status and the facts, and for the actions one without a label. The widths must not
   * depend on what is in a row: every row is a grid of its own. A `head` stands in place of the label and can be used.
   */
  columns: readonly { label: string; width: string; head?: ReactNode }[]
  items: readonly T[]
  row: (item: T) => ReactNode
  /** The name, shown until the row is drawn. */
  nameOf: (item: T) => string
}

/** Rows on one sheet with aligned columns; where they do not fit, each row is a small card. Made for long lists. */
export function Ledger<T extends { id: string }>({ label, columns, items, row, nameOf }: LedgerProps<T>) {
  return (
    <div
      className="sheet @container"
      style={{ '--ledger': columns.map(({ width }) => width).join(' ') } as React.CSSProperties}
    >
      {/* Every row names its own facts. */}
      <div
        aria-hidden={columns.some(({ head }) => head) ? undefined : true}
        className={cx(
          'hidden grid-cols-(--ledger) gap-x-4 border-b border-line py-2.5 pr-4 text-label text-ink-3 @min-[960px]:grid',
          // The marks of the rows stand before their first column.
          use(SelectionMark) ? 'pl-14' : 'pl-4',
        )}
      >
        {columns.map(({ label, head }) => (
          <span key={label}>{head ?? label}</span>
        ))}
      </div>
      <CardGrid
        label={label}
        layout="rows"
        items={items}
        likelyHeight={likelyHeight}
        card={row}
        outline={(item, height) => (
          <article
            aria-label={nameOf(item)}
            className={cx(rowClass, 'truncate px-4 py-4 font-[550]')}
            style={{ height }}
            dir="auto"
          >
            {nameOf(item)}
          </article>
        )}
      />
    </div>
  )
}

const rowClass = 'border-t border-line [[aria-posinset="1"]_&]:border-t-0'

interface LedgerRowProps {
  name: string
  /** The link to the page of the row's object, where it has one. */
  link?: ReactElement<{ className?: string; children?: ReactNode }>
  status: ReactNode
  /** One for each column between the status and the actions. */
  facts: readonly { label: string; value: ReactNode; className?: string }[]
  actions: ReactNode
  /** A second line: the description, the progress, or the reason of a failure. */
  note?: ReactNode
}

export function LedgerRow({ name, link, status, facts, actions, note }: LedgerRowProps) {
  const id = useId()
  return (
    <article aria-labelledby={id} className={cx(rowClass, 'px-4 py-3 text-dense @min-[960px]:py-2')}>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2.5 @min-[960px]:min-h-10 @min-[960px]:grid-cols-(--ledger)">
        <h2 id={id} className="min-w-0 text-body font-[550] wrap-anywhere">
          {link ? (
            cloneElement(link, {
              className: 'text-ink no-underline hover:text-accent hover:underline phone:block phone:py-2.5',
              children: <bdi>{name}</bdi>,
            })
          ) : (
            <bdi>{name}</bdi>
          )}
        </h2>
        <div className="justify-self-end @min-[960px]:justify-self-start">{status}</div>
        {/* Side by side where there is room, below the facts where there is not. */}
        <div className="col-span-2 flex flex-wrap items-end justify-end gap-x-4 gap-y-2.5 @min-[960px]:contents">
          <dl
            className="flex min-w-0 flex-[1_1_14rem] flex-wrap gap-x-5 gap-y-1 @min-[960px]:col-[span_var(--facts)] @min-[960px]:grid @min-[960px]:grid-cols-subgrid @min-[960px]:items-center @min-[960px]:gap-x-4"
            style={{ '--facts': facts.length } as React.CSSProperties}
          >
            {facts.map(({ label, value, className }) => (
              <div key={label} className={cx('flex min-w-0 gap-x-1.5', className)}>
                <dt className="flex-none text-label/5 text-ink-3 @min-[960px]:sr-only">{label}</dt>
                <dd className="min-w-0 wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
          <div className="flex flex-wrap items-center justify-end gap-2 empty:hidden @min-[960px]:flex-nowrap @min-[960px]:gap-1.5">
            {actions}
          </div>
        </div>
      </div>
      {note && <div className="mt-2.5 @min-[960px]:mt-2">{note}</div>}
    </article>
  )
}
