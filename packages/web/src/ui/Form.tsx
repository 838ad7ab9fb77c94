import type { FormEvent, ReactNode, Ref } from 'react'
import { isEnter, isEscape } from './composition.ts'

export interface FormProps {
  /** For a submit button that stands outside, such as in a dialog's foot. */
  id?: string
  /** Names the form; the page's or dialog's title as a rule. */
  label?: string | undefined
  /** The browser's own way of sending is off by then. */
  onSubmit: (event: FormEvent) => void
  /** Where Escape leaves the form. */
  onEscape?: () => void
  className?: string
  ref?: Ref<HTMLFormElement>
  children: ReactNode
}

/**
 * Every form that creates or changes something. The browser's own complaints are off: the texts are part of the
 * product. Enter in a field submits also while the button is disabled, so that the broken rule is said.
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
        // A form in a dialog lies within the page's form for React, though not for the browser.
        event.stopPropagation()
        onSubmit(event)
      }}
      onKeyDown={(event) => {
        if (isEscape(event)) onEscape?.()
        if (!isEnter(event) || !(event.target instanceof HTMLInputElement)) return
        // Fields of a dialog over the form are not the form's.
        if (event.target.form !== event.currentTarget) return
        event.preventDefault()
        event.currentTarget.requestSubmit()
      }}
    >
      {children}
    </form>
  )
}
