import { CircleAlert, Eye, EyeOff } from 'lucide-react'
import { type ComponentPropsWithRef, type ReactNode, useId, useState } from 'react'
import { cx } from './cx.ts'
import { FieldContext, type FieldState, useFieldProps } from './field-state.ts'

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | undefined
  optional?: boolean
  /** To the right of the label, such as a link. */
  aside?: ReactNode
  className?: string
  /** The one control. */
  children: ReactNode
}

/** Label above, control, then the error or the hint below. The control refers to all of them. */
export function Field({ label, hint, error, optional, aside, className, children }: FieldProps) {
  const id = useId()
  const noteId = `${id}-note`
  const state: FieldState = {
    id,
    labelId: `${id}-label`,
    describedBy: error || hint ? noteId : undefined,
    invalid: Boolean(error),
  }
  return (
    <div className={cx('min-w-0', className)}>
      <div className="mb-1.5 flex items-baseline justify-between gap-3 text-dense">
        <label id={state.labelId} htmlFor={id} className="font-medium">
          {label}
        </label>
        {optional ? <span className="text-label text-ink-3">Optional</span> : aside}
      </div>
      <FieldContext value={state}>{children}</FieldContext>
      {error ? (
        <p id={noteId} role="alert" className="mt-1.5 flex gap-1.5 text-hint text-bad">
          <CircleAlert size={14} strokeWidth={1.6} aria-hidden className="mt-0.5 flex-none" />
          <span className="min-w-0 wrap-anywhere">{error}</span>
        </p>
      ) : (
        hint && (
          <div id={noteId} className="mt-1.5 text-hint text-ink-3">
            {hint}
          </div>
        )
      )}
    </div>
  )
}

export function TextInput({ className, type = 'text', ...rest }: ComponentPropsWithRef<'input'>) {
  return <input {...rest} {...useFieldProps(rest)} type={type} className={cx('field', className)} />
}

/** The name of an object: in any script, without suggestions of the browser. */
export function NameInput(props: ComponentPropsWithRef<'input'>) {
  return <TextInput autoComplete="off" maxLength={100} dir="auto" {...props} />
}

export function TextArea({ className, rows = 3, ...rest }: ComponentPropsWithRef<'textarea'>) {
  return (
    <textarea
      {...rest}
      {...useFieldProps(rest)}
      rows={rows}
      className={cx('field block h-auto! resize-y py-2', className)}
    />
  )
}

/** A password with a button that shows it. */
export function PasswordInput({ className, ...rest }: ComponentPropsWithRef<'input'>) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <div className={cx('relative', className)}>
      <input {...rest} {...useFieldProps(rest)} type={shown ? 'text' : 'password'} className="field pr-10" />
      <button
        type="button"
        aria-label={shown ? 'Hide password' : 'Show password'}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-1 right-1 grid w-8 place-items-center rounded-check text-ink-3 hover:bg-hover hover:text-ink phone:w-9"
      >
        <Icon size={16} strokeWidth={1.6} aria-hidden />
      </button>
    </div>
  )
}
