import type { ProjectEndpointId } from '@slipway/contract'
import { useMay } from '../api/access.ts'
import { Button } from '../ui/Button.tsx'
import { FormFoot } from '../ui/FormSheet.tsx'
import { reasonOf } from '../ui/reason.ts'
import { CancelLink } from './CancelLink.tsx'

interface CreateFootProps {
  /** The call that the form makes about a project, that of the page unless another is named. */
  call?: ProjectEndpointId
  projectId?: string | undefined
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
export function CreateFoot({
  call,
  projectId,
  label,
  error,
  errorSaid = true,
  pending,
  cancelTo,
  ...rest
}: CreateFootProps) {
  const may = useMay(projectId)
  const note = (call && reasonOf(may(call))) ?? rest.note
  return (
    <FormFoot note={note} error={error} errorSaid={errorSaid}>
      <CancelLink to={cancelTo} />
      <Button type="submit" variant="primary" busy={pending} busyText="Creating..." disabledReason={note}>
        {label}
      </Button>
    </FormFoot>
  )
}
