import { useState } from 'react'
import { errorDetail, errorText } from '../api/errors.ts'
import { toast } from '../ui/toast.tsx'

interface ConfirmedAct {
  /** Does it, or throws. */
  act: () => Promise<unknown>
  /** Why it is refused without asking the server; true when it is not. */
  allowed?: true | string
  /** What is said when it is done; nothing for what the page itself shows. */
  done?: string | undefined
  /** What is said when it failed, with the server's reason. */
  failed: string
  /** Closes the dialog. */
  onDone: () => void
}

/**
 * What a dialog asks about before it is done: a failure leaves the dialog open, with the reason in it; only what
 * was done closes it. Give the result to `ConfirmDialog`.
 */
export function useConfirmedAct({ act, allowed = true, done, failed, onDone }: ConfirmedAct) {
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
  return { busy, error, onConfirm: () => void run() }
}
