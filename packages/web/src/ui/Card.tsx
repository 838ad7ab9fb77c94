import { type ComponentPropsWithRef, cloneElement, type ReactElement, type ReactNode } from 'react'
import { Arc } from './Arc.tsx'
import { cx } from './cx.ts'
import { Tip } from './Tip.tsx'

/** Three short facts side by side, ruled, across a card. */
export function CardFacts({ items }: { items: readonly { label: string; value: ReactNode }[] }) {
  return (
    <dl className="grid auto-cols-fr grid-flow-col border-y border-line">
      {items.map(({ label, value }) => (
        <div key={label} className="min-w-0 border-line py-[7px] pr-2 pl-4 not-first:border-l">
          <dt className="text-label text-ink-3">{label}</dt>
          <dd className="text-dense wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The ruled foot of a card: actions across its whole width. */
export function CardFoot({ children, ruled = true }: { children: ReactNode; ruled?: boolean }) {
  return (
    <div
      // The rules are the gaps: an action may stand in the contents of its tip, where it has no border to share.
      className={cx(
        'grid auto-cols-fr grid-flow-col gap-px overflow-hidden rounded-b-sheet bg-line [&>*]:bg-sheet [&_button]:bg-sheet',
        ruled && 'border-t border-line',
      )}
    >
      {children}
    </div>
  )
}

type CardActionProps = ComponentPropsWithRef<'button'> & {
  icon?: ReactNode
  busy?: boolean | undefined
  /** Why the action is disabled. It stays in the tab order and shows the reason. */
  disabledReason?: string | undefined
  /** A link instead of a button. */
  render?: ReactElement<{ className?: string; children?: ReactNode }>
}

export function CardAction({
  icon,
  busy = false,
  disabledReason,
  render,
  type = 'button',
  onClick,
  children,
  ...rest
}: CardActionProps) {
  const inert = busy || Boolean(disabledReason)
  const className = cx(
    'flex min-h-[38px] min-w-0 items-center justify-center gap-[7px] px-2 text-dense font-medium no-underline focus-visible:-outline-offset-2 phone:min-h-[46px] [&_svg]:flex-none',
    inert ? 'cursor-not-allowed text-ink-3' : 'text-ink hover:bg-hover! [&_svg]:text-ink-2',
  )
  const content = (
    <>
      {busy ? <Arc size={14} /> : icon}
      {children}
    </>
  )
  if (render) return cloneElement(render, { className, children: content })
  return (
    <Tip text={disabledReason}>
      <button
        {...rest}
        type={inert ? 'button' : type}
        className={className}
        aria-disabled={inert || undefined}
        aria-busy={busy || undefined}
        aria-description={disabledReason}
        onClick={inert ? (event) => event.preventDefault() : onClick}
      >
        {content}
      </button>
    </Tip>
  )
}
