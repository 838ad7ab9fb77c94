import type { ReactNode } from 'react'
import { Banner } from './Banner.tsx'
import { Form, type FormProps } from './Form.tsx'
import { FormNote } from './FormNote.tsx'

/** The sheet of a form page: sections, then the foot. */
export function FormSheet(props: Omit<FormProps, 'className' | 'id'> & { label: string }) {
  return <Form {...props} className="sheet" />
}

/** The sheet of a form, and a summary beside it. */
export function FormColumns({ children }: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,760px)_300px]">
      {children}
    </div>
  )
}

/** Fields that belong together, with their title at the left. */
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
  /** Why the last attempt failed; it stays until the next one. */
  error?: string | undefined
  /** A toast or an alert has announced the error already, so it is only shown. */
  errorSaid?: boolean
  /** Cancel, then the one primary button. */
  children: ReactNode
}

/** The end of the sheet. On phones it stays visible while the form scrolls. */
export function FormFoot({ note, error, errorSaid = false, children }: FormFootProps) {
  return (
    <div className="form-foot flex flex-wrap items-center justify-end gap-2 border-t border-line bg-sheet px-4 py-3 md:rounded-b-sheet md:px-5 phone:[&_a]:h-11 phone:[&_a]:flex-1 phone:[&_button]:h-11 phone:[&_button]:flex-1">
      {error && (
        <Banner tone="error" quiet={errorSaid} className="mb-1 flex-[1_0_100%]">
          {error}
        </Banner>
      )}
      <FormNote>{note}</FormNote>
      {children}
    </div>
  )
}
