import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

interface FoldProps {
  /** What links lead to. */
  id?: string
  open: boolean
  onToggle: () => void
  /** What is always seen. */
  summary: ReactNode
  className?: string
  children: () => ReactNode
}

/** Something that opens below its line. What is in it is made only while it is open: there are hundreds of them. */
export function Fold({ id, open, onToggle, summary, className, children }: FoldProps) {
  return (
    <details
      id={id}
      open={open}
      className={className}
      onToggle={(event) => {
        if (event.currentTarget.open !== open) onToggle()
      }}
    >
      <summary className="flex cursor-pointer list-none items-start gap-2 px-4 py-2.5 -outline-offset-2 hover:bg-hover phone:py-3 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          size={16}
          strokeWidth={1.6}
          aria-hidden
          className={open ? 'mt-0.5 flex-none rotate-90 text-ink-2' : 'mt-0.5 flex-none text-ink-3'}
        />
        <span className="min-w-0 flex-1">{summary}</span>
      </summary>
      {open && children()}
    </details>
  )
}
