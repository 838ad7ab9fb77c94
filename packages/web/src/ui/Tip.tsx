import { type ReactNode, useRef } from 'react'
import { cx } from './cx.ts'

/**
 * Text beside a control on hover and focus. A native popover: it is never clipped, stands over dialogs, and the
 * browser places it at the control. `Esc` closes it. Without a text the children stand alone.
 */
export function Tip({ text, children }: { text: string | undefined; children: ReactNode }) {
  const tip = useRef<HTMLSpanElement>(null)
  if (!text) return children
  const hide = () => tip.current?.togglePopover(false)
  const show = (event: { currentTarget: HTMLElement }) => {
    const source = event.currentTarget.firstElementChild
    if (source instanceof HTMLElement) tip.current?.togglePopover({ force: true, source })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what its control is doing.
    <span
      className="contents"
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
      // Touch has no hover: a tap on a disabled control shows why it is disabled.
      onClick={(event) =>
        event.target instanceof Element && event.target.closest('[aria-disabled]') ? show(event) : hide()
      }
      onKeyDown={(event) => event.key === 'Escape' && hide()}
    >
      {children}
      {/* Hidden from assistive technology: the control's aria-description says the same. */}
      <span
        ref={tip}
        popover="manual"
        aria-hidden="true"
        className={cx(
          'pointer-events-none inset-auto m-1.5 max-w-72 rounded-control border border-line bg-raised px-2.5 py-1.5',
          'text-left text-hint font-normal whitespace-normal text-ink shadow-lift',
          '[position-area:top] [position-try-fallbacks:flip-block]',
        )}
      >
        {text}
      </span>
    </span>
  )
}
