import { useId } from 'react'
import { Link } from 'react-router'
import { Sheet } from '../../ui/Sheet.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import type { Trouble } from './use-troubles.ts'

/** What waits for somebody to do something. */
export function NeedsAttention({ troubles, className }: { troubles: Trouble[]; className?: string }) {
  const titleId = useId()
  return (
    <Sheet
      title={<span id={titleId}>Needs attention</span>}
      aria-labelledby={titleId}
      actions={<span className="text-ink-3">{troubles.length}</span>}
      className={className}
    >
      <ul className="max-h-96 divide-y divide-line overflow-y-auto">
        {troubles.map(({ id, name, status, to, text }) => (
          <li key={id} className="flex gap-2.5 px-4 pt-[11px] pb-3 text-hint text-ink-2">
            <StatusGlyph word={status} className="mt-1" />
            <div className="min-w-0 wrap-anywhere">
              <Link
                to={to}
                className="text-dense font-[550] text-ink no-underline hover:underline"
                dir="auto"
              >
                {name}
              </Link>
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}
