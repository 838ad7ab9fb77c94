import {
  type ComponentPropsWithRef,
  cloneElement,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
} from 'react'
import { Arc } from './Arc.tsx'
import { cx } from './cx.ts'
import { Tip } from './Tip.tsx'

const looks = {
  primary:
    'border-accent-fill bg-accent-fill text-on-accent hover:border-accent-fill-hover hover:bg-accent-fill-hover',
  secondary: 'border-line-control bg-sheet text-ink [&_svg]:text-ink-2 hover:border-ink-2 hover:bg-hover',
  quiet: 'border-transparent text-ink-2 hover:bg-hover hover:text-ink',
  danger: 'border-bad-fill bg-bad-fill text-on-bad hover:brightness-95',
} as const

const offLooks = {
  primary: 'border-line bg-line text-ink-2',
  secondary: 'border-line bg-sunken text-ink-3',
  quiet: 'border-transparent text-line-control',
  danger: 'border-line bg-line text-ink-2',
} as const

const sizes = {
  sm: 'h-7 gap-1.5 px-[9px] text-hint',
  md: 'h-8 gap-[7px] px-3 text-dense phone:h-10',
  lg: 'h-[42px] gap-2 px-5 text-card !font-medium phone:h-[46px]',
} as const

export type ButtonVariant = keyof typeof looks
export type ButtonSize = keyof typeof sizes

interface ButtonOwnProps {
  variant?: ButtonVariant | undefined
  size?: ButtonSize | undefined
  icon?: ReactNode
  /** While true the button shows the arc and `busyText`, and a click does nothing. */
  busy?: boolean | undefined
  busyText?: string | undefined
  /** Why the button is disabled. It stays in the tab order and shows the reason. */
  disabledReason?: string | undefined
  /** Another element with the look of a button, such as a link. */
  render?: ReactElement<{ className?: string | undefined; children?: ReactNode }> | undefined
}
export type ButtonProps = ButtonOwnProps & ComponentPropsWithRef<'button'>

export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  busy = false,
  busyText,
  disabled = false,
  disabledReason,
  render,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const off = disabled || Boolean(disabledReason)
  const classes = cx(
    'inline-flex flex-none items-center justify-center rounded-control border font-medium whitespace-nowrap no-underline',
    'transition-[color,background-color,border-color] duration-120 select-none',
    sizes[size],
    off ? offLooks[variant] : looks[variant],
    off ? 'cursor-not-allowed' : busy && 'cursor-progress',
    className,
  )
  const content = (
    <>
      {busy ? <Arc size={14} /> : icon}
      {busy && busyText ? busyText : children}
    </>
  )
  if (render && !off) {
    return cloneElement(render, { className: cx(classes, render.props.className), children: content })
  }
  const inert = busy || Boolean(disabledReason)
  return (
    <Tip text={disabledReason}>
      <button
        {...rest}
        type={inert ? 'button' : type}
        className={classes}
        disabled={disabled && !disabledReason}
        aria-disabled={inert || undefined}
        aria-busy={busy || undefined}
        aria-description={disabledReason}
        onClick={inert ? keepStill : onClick}
      >
        {content}
      </button>
    </Tip>
  )
}

function keepStill(event: MouseEvent) {
  event.preventDefault()
}

export type IconButtonProps = Omit<ButtonProps, 'children' | 'busyText' | 'aria-label'> & {
  /** The action and its object: `Copy IP address`, `Delete scratch`. */
  label: string
  icon: ReactNode
}

/** A button that is only an icon; its label is its name and its tooltip. */
export function IconButton({
  label,
  icon,
  size = 'md',
  variant = 'quiet',
  className,
  ...rest
}: IconButtonProps) {
  const square =
    size === 'sm' ? '!w-7 phone:!h-9 phone:!w-9' : size === 'md' ? '!w-8 phone:!w-10' : '!w-[42px]'
  const button = (
    <Button
      {...rest}
      size={size}
      variant={variant}
      aria-label={label}
      className={cx('!px-0', square, className)}
    >
      {rest.busy ? null : icon}
    </Button>
  )
  return <Tip text={rest.disabledReason ? undefined : label}>{button}</Tip>
}
