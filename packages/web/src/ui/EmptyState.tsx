import type { ReactNode } from 'react'
import { PhantomFrame } from './Phantom.tsx'

interface EmptyStateProps {
  title: string
  /** One sentence. */
  children: ReactNode
  action?: ReactNode
}

/** An empty list: the grid of the page in phantom lines, with what could be there and how to start. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="grid gap-4 md:grid-cols-[repeat(auto-fill,minmax(328px,1fr))]">
      <section className="relative min-h-60">
        <PhantomFrame />
        <div className="relative flex h-full flex-col items-start px-6 py-5.5">
          <h2 className="text-empty wrap-anywhere">{title}</h2>
          <p className="mt-1.5 mb-5 text-ink-2">{children}</p>
          {action && <div className="mt-auto flex flex-wrap gap-2">{action}</div>}
        </div>
      </section>
    </div>
  )
}
