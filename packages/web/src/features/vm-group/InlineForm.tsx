import { CircleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { CardAction, CardFoot } from '../../ui/Card.tsx'
import { isEscape } from '../../ui/composition.ts'

interface InlineFormProps {
  /** `Edit web` */
  label: string
  /** The first rule that is broken: said beside the button it disables. */
  problem: string | null
  busy: boolean
  onSave: () => void
  onCancel: () => void
  children: ReactNode
}

/** The lower part of a card while it is edited: fields, then `Cancel` and `Save`. `Esc` cancels. */
export function InlineForm({ label, problem, busy, onSave, onCancel, children }: InlineFormProps) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.select(), [])
  return (
    <form
      ref={form}
      aria-label={label}
      noValidate
      className="flex flex-1 flex-col border-t border-line"
      onKeyDown={(event) => {
        if (isEscape(event) && !busy) onCancel()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (!problem && !busy) onSave()
      }}
    >
      <div className="flex-1 px-4 pt-3 pb-3.5">
        {children}
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
        <CardAction disabledReason={busy ? 'It is being saved.' : undefined} onClick={onCancel}>
          Cancel
        </CardAction>
        <CardAction type="submit" busy={busy} disabledReason={problem ?? undefined}>
          {busy ? 'Saving...' : 'Save'}
        </CardAction>
      </CardFoot>
    </form>
  )
}
