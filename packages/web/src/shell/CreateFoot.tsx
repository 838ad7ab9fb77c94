import { Button } from '../ui/Button.tsx'
import { FormFoot } from '../ui/FormSheet.tsx'
import { CancelLink } from './CancelLink.tsx'

interface CreateFootProps {
  /** Of the primary button. */
  label: string
  /** The first broken rule, or what happens now. Shown beside the button, which it disables. */
  note: string | undefined
  /** Why the last attempt failed; it stays until the next one. */
  error: string | undefined
  /** A toast or an alert has said the error already. */
  errorSaid?: boolean
  pending: boolean
  cancelTo: string
}

/** The foot of a page that creates something. */
export function CreateFoot({ label, note, error, errorSaid = true, pending, cancelTo }: CreateFootProps) {
  return (
    <FormFoot note={note} error={error} errorSaid={errorSaid}>
      <CancelLink to={cancelTo} />
      <Button type="submit" variant="primary" busy={pending} busyText="Creating..." disabledReason={note}>
        {label}
      </Button>
    </FormFoot>
  )
}
