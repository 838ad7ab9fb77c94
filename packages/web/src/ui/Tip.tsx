import { cloneElement, type HTMLAttributes, type ReactElement, type SyntheticEvent, useRef } from 'react'
import { cx } from './cx.ts'

type Listeners = Pick<
  HTMLAttributes<HTMLElement>,
  'onPointerEnter' | 'onPointerLeave' | 'onFocus' | 'onBlur' | 'onClick' | 'onKeyDown'
>

/**
 * Text beside a control on hover and focus. A native popover: it is never clipped, stands over dialogs, and the
 * browser places it at the control. `Esc` closes it. Without a text the control stands alone; it is the same element
 * before and after, so that it keeps the focus and a press that has begun.
 */
export function Tip({ text, children }: { text: string | undefined; children: ReactElement<Listeners> }) {
  const tip = useRef<HTMLSpanElement>(null)
  const hide = () => tip.current?.togglePopover(false)
  const show = ({ currentTarget }: SyntheticEvent<HTMLElement>) =>
    tip.current?.togglePopover({ force: true, source: currentTarget })
  const own = children.props
  const listening: Listeners = {
    onPointerEnter: both(own.onPointerEnter, show),
    onPointerLeave: both(own.onPointerLeave, hide),
    onFocus: both(own.onFocus, show),
    onBlur: both(own.onBlur, hide),
    // Touch has no hover: a tap on a disabled control shows why it is disabled.
    onClick: both(own.onClick, (event) =>
      event.currentTarget.hasAttribute('aria-disabled') ? show(event) : hide(),
    ),
    onKeyDown: both(own.onKeyDown, (event) => event.key === 'Escape' && hide()),
  }
  return (
    <>
      {/* Hidden from assistive technology: the control's aria-description says the same. It stands first: lists draw no line
      after what is last. */}
      {text && (
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
      )}
      {text ? cloneElement(children, listening) : children}
    </>
  )
}

const both =
  <Event,>(first: ((event: Event) => void) | undefined, then: (event: Event) => unknown) =>
  (event: Event): void => {
    first?.(event)
    then(event)
  }
