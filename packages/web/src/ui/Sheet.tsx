import type { ComponentPropsWithRef, ReactNode } from 'react'
import { cx } from './cx.ts'

type SheetProps = Omit<ComponentPropsWithRef<'section'>, 'title'> & {
  /** A ruled head with this title. */
  title?: ReactNode
  /** Right end of the head. */
  actions?: ReactNode
}

/** A white box with hairlines. A sheet never contains another sheet. */
export function Sheet({ title, actions, className, children, ...rest }: SheetProps) {
  return (
    <section {...rest} className={cx('sheet', className)}>
      {title && (
        <header className="flex min-h-11 items-center gap-3 border-b border-line px-4 py-1.5">
          <h2 className="min-w-0 flex-1 text-section">{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}

const columnClass: Record<number, string> = {
  2: 'grid-cols-2',
  3: 'grid-cols-2 md:grid-cols-3',
  4: 'grid-cols-2 md:grid-cols-4',
  5: 'grid-cols-2 md:grid-cols-5',
}

interface CellsProps {
  items: readonly { label: string; value: ReactNode }[]
  /** Two on phones. */
  columns?: number
  className?: string
}

/** Title block: label over value in a ruled grid, as in the corner of a drawing. */
export function Cells({ items, columns = 4, className }: CellsProps) {
  return (
    <dl className={cx('grid overflow-hidden', columnClass[columns] ?? columnClass[4], className)}>
      {items.map(({ label, value }) => (
        <div
          key={label}
          // The rules are drawn outside of each cell, so that an incomplete last row is closed as well.
          className="min-w-0 pt-[9px] pr-2 pb-2.5 pl-4 shadow-[1px_0_var(--line),0_1px_var(--line)]"
        >
          <dt className="text-label text-ink-3">{label}</dt>
          <dd className="mt-[3px] flex min-w-0 items-center gap-1.5 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface StatStripProps {
  items: readonly { label: string; value: ReactNode; glyph?: ReactNode; note?: ReactNode }[]
  className?: string
  label?: string
}

/** Numbers of a page in one sheet cut by hairlines. On phones two by two, an odd last one spans the width. */
export function StatStrip({ items, className, label }: StatStripProps) {
  return (
    <dl
      aria-label={label}
      className={cx(
        'sheet grid grid-cols-2 overflow-hidden md:auto-cols-fr md:grid-flow-col md:grid-cols-none',
        className,
      )}
    >
      {items.map(({ label, value, glyph, note }) => (
        <div
          key={label}
          className="-mt-px -ml-px min-w-0 border-t border-l border-line px-4 pt-2.5 pb-[11px] last:odd:col-span-2 md:pt-[13px] md:pb-3.5 md:last:odd:col-span-1"
        >
          <dt className="flex items-center gap-[7px] text-hint text-ink-2">
            {glyph}
            {label}
          </dt>
          <dd className="mt-0.5 flex flex-wrap items-baseline gap-x-2 text-stat md:mt-1">
            {value}
            {note && <span className="text-hint font-normal tracking-normal text-ink-3">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface RowsProps {
  items: readonly { label: string; value: ReactNode; tone?: 'bad' | undefined }[]
  className?: string
}

/** Label and value in rows, as in the body of a card. */
export function Rows({ items, className }: RowsProps) {
  return (
    <dl className={cx('px-4 py-2', className)}>
      {items.map(({ label, value, tone }) => (
        <div key={label} className="flex min-h-[26px] items-start gap-3 py-[3px]">
          <dt className={cx('w-21 flex-none text-label/5', tone === 'bad' ? 'text-bad' : 'text-ink-3')}>
            {label}
          </dt>
          <dd
            className={cx(
              'flex min-w-0 flex-1 items-center gap-1.5 text-dense wrap-anywhere',
              tone === 'bad' && 'text-ink-2',
            )}
          >
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
