import type { ProjectEndpointId } from '@slipway/contract'
import { useState } from 'react'
import { useMay } from '../api/access.ts'
import { errorDetail, errorText } from '../api/errors.ts'
import { reasonOf } from '../ui/reason.ts'
import { toast } from '../ui/toast.tsx'

interface ConfirmedAct {
  /** The call that it makes about the project of the page: whoever may not make it cannot confirm. */
  call?: ProjectEndpointId
  /** Performs the action, or throws. */
  act: () => Promise<unknown>
  /** Why the action is refused without calling the server; true when it is allowed. */
  allowed?: true | string
  /** The toast after a success; none for what the page itself shows. */
  done?: string | undefined
  /** The toast after a failure; the server's reason is added. */
  failed: string
  /** Closes the dialog. */
  onDone: () => void
}

/**
 * An action that a dialog asks about first. A success closes the dialog; a failure leaves it open with the reason.
 * Give the result to `ConfirmDialog`.
 */
export function useConfirmedAct({ call, act, allowed = true, done, failed, onDone }: ConfirmedAct) {
  const may = useMay()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const run = async () => {
    setError(null)
    if (allowed !== true) {
      toast.error(allowed)
      setError(allowed)
      return
    }
    setBusy(true)
    try {
      await act()
      if (done) toast.success(done)
      onDone()
    } catch (reason) {
      toast.error(failed, { detail: errorDetail(reason) })
      setError(errorText(reason, failed))
    } finally {
      setBusy(false)
    }
  }
  const disabledReason = call && reasonOf(may(call))
  return { busy, error, disabledReason, onConfirm: () => void run() }
}
