import { useEffect, useRef, useState } from 'react'
import { ApiError, newKey } from '../api/client.ts'
import { type Attempt, attemptFor } from './form-attempt.ts'
import { forgetUnsaved, keepUnsaved } from './unsaved.ts'

interface FormShellOptions<Input, Answer> {
  /** Whether something typed or chosen would be lost with the form. */
  dirty: boolean
  /** Makes the call. The key is the same whenever the same input is sent again. */
  send: (input: Input, idempotencyKey: string) => Promise<Answer>
  /** The sentence for a call that failed, for the form's foot. */
  failureText: (error: unknown) => string
}

export interface Outcome<Answer> {
  /** What came of it is said in any case, but only a form that is still `shown` leads on. */
  onSuccess?: (answer: Answer, shown: boolean) => void
  onFailure?: (error: unknown, shown: boolean) => void
}

/**
 * What every form does. It sends one thing at a time and nothing after a success; the error of a failure stays until
 * the next try; a try with the same input has the same idempotency key; and while something typed is in it, leaving
 * asks first (see `unsaved.ts`). A form that is sent or done asks no more.
 */
export function useFormShell<Input, Answer>({ dirty, send, failureText }: FormShellOptions<Input, Answer>) {
  const [phase, setPhase] = useState<'idle' | 'pending' | 'done'>('idle')
  const [error, setError] = useState<string>()
  const busy = useRef(false)
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
    // Should the server be away when the question has to be asked, it is there.
    void import('../ui/DialogPopup.tsx')
    keepUnsaved(self)
    return () => forgetUnsaved(self)
  }, [unsaved, self])

  const reset = () => {
    busy.current = false
    setPhase('idle')
    setError(undefined)
  }
  // A form that is empty again, such as one that stays for the next object, begins anew.
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
    attempt.current = attemptFor(attempt.current, input, newKey)
    setPhase('pending')
    setError(undefined)
    forgetUnsaved(self)
    let answer: Answer
    try {
      answer = await send(input, attempt.current.key)
    } catch (error) {
      busy.current = false
      setPhase('idle')
      setError(failureText(error))
      if (isRefusal(error)) attempt.current = null
      onFailure?.(error, shown.current)
      return
    }
    attempt.current = null
    setPhase('done')
    onSuccess?.(answer, shown.current)
  }

  return {
    pending: phase === 'pending',
    /** It was sent, and what came of it is there. */
    done: phase === 'done',
    /** Why the last try failed. */
    error,
    submit,
    /** The error is over, such as when something else is wrong now or a dialog was closed. */
    reset,
  }
}

/** The server answered and created nothing, so the next try is a new one. Without an answer nobody knows. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status !== null && error.status < 500
