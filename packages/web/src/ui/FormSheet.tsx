import type { FormEvent, ReactNode } from 'react'
import { Banner } from './Banner.tsx'

interface FormSheetProps {
  /** Names the form; the page's title as a rule. */
  label: string
  onSubmit: (event: FormEvent) => void
  /** Sections, then the foot. */
  children: ReactNode
}

/** A form page's one sheet. The browser's own complaints are off: the texts are part of the product. */
export function FormSheet({ label, onSubmit, children }: FormSheetProps) {
  return (
    <form
      aria-label={label}
      className="sheet"
      noValidate
      onSubmit={onSubmit}
      onKeyDown={(event) => {
        // Also while the button is disabled: then the broken rule is said.
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        event.currentTarget.requestSubmit()
      }}
    >
      {children}
    </form>
  )
}

/** Fields that belong together, their name at the left. */
export function FormSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0 border-line px-4 py-4.5 not-first:border-t md:grid md:grid-cols-[132px_minmax(0,1fr)] md:px-5">
      <legend className="float-left mb-3 w-full text-section md:mb-0">{title}</legend>
      <div className="clear-both grid min-w-0 gap-4 md:clear-none">{children}</div>
    </fieldset>
  )
}

interface FormFootProps {
  /** What is still missing, or what happens now. */
  note: string | undefined
  /** Why the last attempt failed. */
  error?: string | undefined
  /** Cancel, then the one primary button. */
  children: ReactNode
}

/** The end of the sheet; it stays in sight on phones. */
export function FormFoot({ note, error, children }: FormFootProps) {
  return (
    <div className="form-foot flex flex-wrap items-center justify-end gap-2 border-t border-line bg-sheet px-4 py-3 md:rounded-b-sheet md:px-5 phone:[&_a]:h-11 phone:[&_a]:flex-1 phone:[&_button]:h-11 phone:[&_button]:flex-1">
      {error && (
        <Banner tone="error" className="mb-1 flex-[1_0_100%]">
          {error}
        </Banner>
      )}
      <p role="status" className="min-w-0 flex-1 text-ink-3 phone:flex-[1_0_100%]">
        {note}
      </p>
      {children}
    </div>
  )
}
