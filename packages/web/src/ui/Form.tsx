import type { FormEvent, ReactNode, Ref } from 'react'
import { isEnter, isEscape } from './composition.ts'

export interface FormProps {
  /** For a submit button outside the form, such as in the foot of a dialog. */
  id?: string
  /** The accessible name; usually the title of the page or dialog. */
  label?: string | undefined
  /** The browser's default is prevented already. */
  onSubmit: (event: FormEvent) => void
  /** For forms that Escape closes. */
  onEscape?: () => void
  className?: string
  ref?: Ref<HTMLFormElement>
  children: ReactNode
}

/**
 * The only `<form>` of the console. The browser's own validation messages are off, because the texts are part of the
 * product. Enter in a field submits even while the button is disabled, so that the broken rule is shown.
 */
export function Form({ id, label, onSubmit, onEscape, className, ref, children }: FormProps) {
  return (
    <form
      ref={ref}
      id={id}
      aria-label={label}
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        // For React, a form in a dialog is inside the form of the page, though not for the browser.
        event.stopPropagation()
        onSubmit(event)
      }}
      onKeyDown={(event) => {
        if (isEscape(event)) onEscape?.()
        if (!isEnter(event) || !(event.target instanceof HTMLInputElement)) return
        // Fields of a dialog above the form are not its fields.
        if (event.target.form !== event.currentTarget) return
        event.preventDefault()
        event.currentTarget.requestSubmit()
      }}
    >
      {children}
    </form>
  )
}
