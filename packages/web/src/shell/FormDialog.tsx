import type { ProjectEndpointId } from '@slipway/contract'
import { type ReactNode, useId } from 'react'
import { useMay } from '../api/access.ts'
import { Banner } from '../ui/Banner.tsx'
import { Button } from '../ui/Button.tsx'
import type { DialogProps } from '../ui/DialogPopup.tsx'
import { Form } from '../ui/Form.tsx'
import { FormNote } from '../ui/FormNote.tsx'
import { reasonOf } from '../ui/reason.ts'
import { FootStart } from './FootStart.tsx'
import { GuardedDialog } from './GuardedDialog.tsx'

interface FormDialogProps extends Omit<DialogProps, 'footer'> {
  /** The call that it makes about the project of the page: whoever may not make it cannot submit. */
  call?: ProjectEndpointId
  /** Of the primary button; `danger` where it takes something away. */
  submit: { label: string; busyText: string; tone?: 'danger' }
  onSubmit: () => void
  /** While the form is being sent, the dialog cannot be closed. */
  pending: boolean
  /** The first broken rule. Shown beside the button, which it disables. */
  note?: string | undefined
  /** Shows what it would create as text. */
  asText?: ReactNode
  /** Why the last attempt failed; it stays until the next one. */
  error?: string | undefined
  /** A toast has shown the error already. */
  errorSaid?: boolean
}

/** A form in a dialog: fields, the error of the last attempt, the broken rule, `Cancel` and the primary button. */
export function FormDialog({
  open,
  onOpenChange,
  call,
  submit,
  onSubmit,
  pending,
  note: broken,
  asText,
  error,
  errorSaid = false,
  children,
  ...rest
}: FormDialogProps) {
  const formId = useId()
  const may = useMay()
  const note = (call && reasonOf(may(call))) ?? broken
  const change = (next: boolean) => {
    if (next || !pending) onOpenChange(next)
  }
  return (
    <GuardedDialog
      {...rest}
      open={open}
      onOpenChange={change}
      footer={({ discard }) => (
        <>
          {asText ? <FootStart note={note} asText={asText} /> : <FormNote>{note}</FormNote>}
          <Button disabled={pending} onClick={discard}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={formId}
            variant={submit.tone ?? 'primary'}
            busy={pending}
            busyText={submit.busyText}
            disabledReason={note}
          >
            {submit.label}
          </Button>
        </>
      )}
    >
      <Form id={formId} label={rest.title} onSubmit={onSubmit} className="grid gap-4">
        {children}
        {error && (
          <Banner tone="error" quiet={errorSaid}>
            {error}
          </Banner>
        )}
      </Form>
    </GuardedDialog>
  )
}
