import type { ReactNode, Ref } from 'react'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'
import { FormNote } from '../../ui/FormNote.tsx'

interface AccountFormProps {
  /** Names the form. */
  label: string
  ref: Ref<HTMLFormElement>
  /** The words of the one button. */
  submit: { label: string; busyText: string }
  onSubmit: () => void
  pending: boolean
  /** Why the button is disabled: said below it. */
  note?: string | undefined
  /** Why the last attempt failed; it stays until the next one. */
  error?: string | undefined
  children: ReactNode
}

/** A form on a page that stands alone: fields, the error of the last attempt, and a button as wide as they are. */
export function AccountForm({
  label,
  ref,
  submit,
  onSubmit,
  pending,
  note,
  error,
  children,
}: AccountFormProps) {
  return (
    <Form ref={ref} label={label} onSubmit={() => onSubmit()} className="space-y-4">
      {children}
      {error && <Banner tone="error">{error}</Banner>}
      <div className="grid gap-2">
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="w-full"
          busy={pending}
          busyText={submit.busyText}
          disabledReason={note}
        >
          {submit.label}
        </Button>
        {note && <FormNote>{note}</FormNote>}
      </div>
    </Form>
  )
}
