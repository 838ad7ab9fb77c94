import { useEffect, useRef, useState } from 'react'
import { ApiError, newKey } from '../api/client.ts'
import { type Attempt, attemptFor } from './form-attempt.ts'
import { forgetUnsaved, keepUnsaved } from './unsaved.ts'

interface FormShellOptions<Input, Answer> {
  /** Whether leaving would lose something that was typed or chosen. */
  dirty: boolean
  /** Makes the call. The key is the same whenever the same input is sent again. */
  send: (input: Input, idempotencyKey: string) => Promise<Answer>
  /** The sentence about a failed call, for the foot of the form. */
  failureText: (error: unknown) => string
}

export interface Outcome<Answer> {
  /** The outcome is reported in any case, but only a form that is still `shown` leads to another page. */
  onSuccess?: (answer: Answer, shown: boolean) => void
  onFailure?: (error: unknown, shown: boolean) => void
}

/**
 * What every form does. It sends one request at a time and none after a success. An error stays until the next
 * attempt. An attempt with the same input has the same idempotency key. While the form has unsaved input, leaving asks
 * first (see `unsaved.ts`); a form that was sent does not ask any more.
 */
export function useFormShell<Input, Answer>({ dirty, send, failureText }: FormShellOptions<Input, Answer>) {
  const [phase, setPhase] = useState<'idle' | 'pending' | 'done'>('idle')
  const [error, setError] = useState<string>()
  /** From the start of a call until the form can be sent again. */
  const busy = useRef(false)
  const underWay = useRef(false)
  const attempt = useRef<Attempt>(null)
  const shown = useRef(false)
  const [self] = useState<object>(() => ({}))

  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  const unsaved = dirty && phase === 'idle'
  useEffect(() => {
    if (!unsaved) return
    // Loaded now, because the server may be unreachable when the question has to be asked.
    import('../ui/DialogPopup.tsx').catch(() => {})
    keepUnsaved(self)
    return () => forgetUnsaved(self)
  }, [unsaved, self])

  const reset = () => {
    // A call in progress runs to its end; nothing else is sent meanwhile.
    if (underWay.current) return
    busy.current = false
    setPhase('idle')
    setError(undefined)
  }
  // A form that was emptied for the next object can be sent again.
  useEffect(() => {
    if (dirty) return
    setPhase((now) => {
      if (now !== 'done') return now
      busy.current = false
      return 'idle'
    })
  }, [dirty])

  const submit = async (input: Input, { onSuccess, onFailure }: Outcome<Answer> = {}): Promise<void> => {
    if (busy.current) return
    busy.current = true
    underWay.current = true
    attempt.current = attemptFor(attempt.current, input, newKey)
    setPhase('pending')
    setError(undefined)
    forgetUnsaved(self)
    let answer: Answer
    try {
      answer = await send(input, attempt.current.key)
    } catch (error) {
      underWay.current = false
      busy.current = false
      setPhase('idle')
      setError(failureText(error))
      if (isRefusal(error)) attempt.current = null
      onFailure?.(error, shown.current)
      return
    }
    underWay.current = false
    attempt.current = null
    setPhase('done')
    onSuccess?.(answer, shown.current)
  }

  return {
    pending: phase === 'pending',
    /** The form was sent, and the call succeeded. */
    done: phase === 'done',
    /** Why the last attempt failed. */
    error,
    submit,
    /** Clears the error, such as when a field is wrong now or the dialog was closed. */
    reset,
  }
}

/** The server refused and created nothing, so the next attempt is a new one. Without a response that is unknown. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status !== null && error.status < 500
