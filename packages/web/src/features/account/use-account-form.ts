import { useRef, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { useFields } from '../../shell/use-fields.ts'
import { type Outcome, useFormShell } from '../../shell/use-form-shell.ts'

/** A sentence for each field that stands against sending, in the order of the form. */
export type Complaints<Fields> = Partial<Record<keyof Fields, string>>

interface AccountFormOptions<Fields, Answer> {
  empty: Fields
  complaintsOf: (fields: Fields) => Complaints<Fields>
  /** Whether leaving asks first when something was typed. */
  guarded: boolean
  send: (fields: Fields) => Promise<Answer>
  failureText: (error: unknown) => string
}

/**
 * A form of an account in the form shell. Its button is not disabled by an empty field: browsers fill in addresses and
 * passwords without telling the page. What is wrong is said at the fields when the form is sent, until it is right or
 * its field changes, and the first of them gets the focus.
 */
export function useAccountForm<Fields extends object, Answer>({
  empty,
  complaintsOf,
  guarded,
  send,
  failureText,
}: AccountFormOptions<Fields, Answer>) {
  const ref = useRef<HTMLFormElement>(null)
  const { form, change, dirty } = useFields(empty)
  /** The fields that something was said of. */
  const [told, setTold] = useState<readonly string[]>([])
  /** What the server said of fields of the form. */
  const [refused, setRefused] = useState<Complaints<Fields>>({})
  const shell = useFormShell({ dirty: guarded && dirty, send, failureText })

  const focus = (field: string) => ref.current?.querySelector<HTMLInputElement>(`[name="${field}"]`)?.focus()
  const wrong = Object.entries<string | undefined>(complaintsOf(form))
  return {
    ref,
    form,
    /** What is said at the fields now. */
    complaints: {
      ...refused,
      ...(Object.fromEntries(wrong.filter(([field]) => told.includes(field))) as Complaints<Fields>),
    },
    pending: shell.pending,
    done: shell.done,
    /** Said at the foot, unless it is said at a field. */
    error: Object.keys(refused).length > 0 ? undefined : shell.error,
    reset: shell.reset,
    change: (part: Partial<Fields>) => {
      change(part)
      setTold(told.filter((field) => !(field in part)))
      // What was refused is over with the first change; it must not move to the foot then.
      if (Object.keys(refused).length > 0) shell.reset()
      setRefused({})
    },
    submit: (outcome?: Outcome<Answer>) => {
      setTold(wrong.map(([field]) => field))
      setRefused({})
      const [first] = wrong
      if (!first) {
        return void shell.submit(form, {
          ...outcome,
          onFailure: (error, shown) => {
            const now = refusedFields(error, form)
            setRefused(now)
            const [field] = Object.keys(now)
            if (shown && field !== undefined) focus(field)
            outcome?.onFailure?.(error, shown)
          },
        })
      }
      // What went wrong before is over when something else is wrong now.
      shell.reset()
      focus(first[0])
    },
  }
}

/** What the server refused, by the fields that the form has under the same name. */
function refusedFields<Fields extends object>(error: unknown, form: Fields): Complaints<Fields> {
  const fields = error instanceof ApiError ? Object.entries(error.fields ?? {}) : []
  return Object.fromEntries(fields.filter(([field]) => field in form)) as Complaints<Fields>
}
