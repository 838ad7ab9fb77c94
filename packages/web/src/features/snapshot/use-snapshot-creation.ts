import { useNavigate, useParams } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { flash } from '../../shell/use-flash.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { toast } from '../../ui/toast.tsx'
import { useQuotaCheck } from '../quota/use-quota-check.ts'
import type { BrokenRule, SnapshotForm } from './snapshot-form.ts'

/** What is typed and chosen, and its way to the server. */
export interface Creation {
  texts: {
    created: (name: string) => string
    /** Where the server gives no reason. */
    failed: string
  }
  form: SnapshotForm
  dirty: boolean
  rules: readonly BrokenRule[]
  /** The choices are on their way; nothing is sent until they are there. */
  loading: boolean
  send: (form: SnapshotForm, idempotencyKey: string) => Promise<{ name: string }>
  /** The list, which says that it worked. */
  listPath: string
  /** Instead of a toast, while the form is shown. */
  onFailure?: (text: string) => void
}

/** Sends the form of a snapshot, and says what came of it: here, in the list, or wherever one has gone. */
export function useSnapshotCreation({
  texts,
  form,
  dirty,
  rules,
  loading,
  send,
  listPath,
  onFailure,
}: Creation) {
  const navigate = useNavigate()
  // How large it becomes, only the server can tell when it is there.
  const quota = useQuotaCheck(useParams().projectId, { snapshot_bytes: 1 })
  const failureText = (error: unknown) => errorText(error, texts.failed)
  const shell = useFormShell({ dirty, send, failureText })
  const submit = () => {
    if (loading) return
    const refusal = quota.refusal ?? rules[0]?.text
    if (refusal) {
      toast.error(refusal)
      return
    }
    void shell.submit(form, {
      onSuccess: ({ name }, shown) => {
        const text = texts.created(name)
        if (shown) void navigate(listPath, { state: flash(text, { refresh: true }) })
        else toast.success(text)
      },
      onFailure: (error, shown) => {
        if (shown && onFailure) onFailure(failureText(error))
        else toast.error(failureText(error))
      },
    })
  }
  return { pending: shell.pending, error: shell.error, submit, quota }
}
