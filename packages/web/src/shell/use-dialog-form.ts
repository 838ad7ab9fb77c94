import { errorDetail, errorText } from '../api/errors.ts'
import { toast } from '../ui/toast.tsx'
import { useFormShell } from './use-form-shell.ts'

interface DialogForm<Input, Answer> {
  /** Whether closing would lose something that was typed or chosen. */
  dirty: boolean
  /** Makes the call, with the idempotency key of this attempt. */
  send: (input: Input, idempotencyKey: string) => Promise<Answer>
  /** The toast after a success. */
  done: (answer: Answer) => string
  /** The toast after a failure; the server's reason is added. */
  failed: string
  onClose: () => void
}

/**
 * A form in a dialog of its page: a success closes the dialog with a toast, a failure leaves it open with the reason.
 * Give `dialog` to `FormDialog`.
 */
export function useDialogForm<Input, Answer>({
  dirty,
  send,
  done,
  failed,
  onClose,
}: DialogForm<Input, Answer>) {
  const shell = useFormShell({ dirty, send, failureText: (error) => errorText(error, failed) })
  return {
    submit: (input: Input) =>
      void shell.submit(input, {
        onSuccess: (answer) => {
          toast.success(done(answer))
          onClose()
        },
        onFailure: (error) => toast.error(failed, { detail: errorDetail(error) }),
      }),
    dialog: {
      open: true,
      onOpenChange: () => onClose(),
      pending: shell.pending,
      error: shell.error,
      errorSaid: true,
    },
  }
}
