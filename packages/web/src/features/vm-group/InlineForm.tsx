import type { ProjectEndpointId } from '@slipway/contract'
import { CircleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useMay } from '../../api/access.ts'
import { errorDetail, fullErrorText } from '../../api/errors.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Banner } from '../../ui/Banner.tsx'
import { CardAction, CardFoot } from '../../ui/Card.tsx'
import { Form } from '../../ui/Form.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { toast } from '../../ui/toast.tsx'

interface InlineFormProps<Body> {
  /** The call that it makes: whoever may not make it cannot save. */
  call: ProjectEndpointId
  /** `Edit web` */
  label: string
  body: Body
  /** Whether anything is other than it was. */
  dirty: boolean
  /** The first rule that is broken: said beside the button it disables. */
  problem: string | null
  send: (body: Body) => Promise<unknown>
  texts: { updated: string; failed: string }
  onClose: () => void
  children: ReactNode
}

/** Changes a pool or set in the lower part of its card or on its page: fields, then `Cancel` and `Save`. `Esc` cancels. */
export function InlineForm<Body>({
  call,
  label,
  body,
  dirty,
  problem: broken,
  send,
  texts,
  onClose,
  children,
}: InlineFormProps<Body>) {
  const problem = reasonOf(useMay()(call)) ?? broken
  const shell = useFormShell({ dirty, send, failureText: (error) => fullErrorText(texts.failed, error) })
  const { pending: busy, error } = shell
  const save = () =>
    shell.submit(body, {
      onSuccess: () => {
        toast.success(texts.updated)
        onClose()
      },
      onFailure: (error) => toast.error(texts.failed, { detail: errorDetail(error) }),
    })
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.select(), [])
  return (
    <Form
      ref={form}
      label={label}
      className="flex flex-1 flex-col border-t border-line"
      onEscape={() => !busy && onClose()}
      onSubmit={() => !problem && void save()}
    >
      <div className="flex-1 px-4 pt-3 pb-3.5">
        {children}
        {error && (
          <Banner tone="error" quiet className="mt-3">
            {error}
          </Banner>
        )}
        <p role="status" className="mt-3 flex gap-1.5 text-hint text-bad empty:hidden">
          {problem && (
            <>
              <CircleAlert size={14} strokeWidth={1.6} aria-hidden className="mt-0.5 flex-none" />
              <span className="min-w-0">{problem}</span>
            </>
          )}
        </p>
      </div>
      <CardFoot>
        <CardAction disabledReason={busy ? 'The change is being saved' : undefined} onClick={onClose}>
          Cancel
        </CardAction>
        <CardAction type="submit" busy={busy} disabledReason={problem ?? undefined}>
          {busy ? 'Saving...' : 'Save'}
        </CardAction>
      </CardFoot>
    </Form>
  )
}
