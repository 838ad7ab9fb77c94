import { CircleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Banner } from '../../ui/Banner.tsx'
import { CardAction, CardFoot } from '../../ui/Card.tsx'
import { Form } from '../../ui/Form.tsx'

interface InlineFormProps {
  /** `Edit web` */
  label: string
  /** The first rule that is broken: said beside the button it disables. */
  problem: string | null
  busy: boolean
  /** Why the last attempt failed; a toast has said it. It stays until the next one. */
  error: string | undefined
  onSave: () => void
  onCancel: () => void
  children: ReactNode
}

/** The lower part of a card while it is edited: fields, then `Cancel` and `Save`. `Esc` cancels. */
export function InlineForm({ label, problem, busy, error, onSave, onCancel, children }: InlineFormProps) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.select(), [])
  return (
    <Form
      ref={form}
      label={label}
      className="flex flex-1 flex-col border-t border-line"
      onEscape={() => !busy && onCancel()}
      onSubmit={() => !problem && onSave()}
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
        <CardAction disabledReason={busy ? 'The change is being saved' : undefined} onClick={onCancel}>
          Cancel
        </CardAction>
        <CardAction type="submit" busy={busy} disabledReason={problem ?? undefined}>
          {busy ? 'Saving...' : 'Save'}
        </CardAction>
      </CardFoot>
    </Form>
  )
}
