import type { ReactNode } from 'react'

/** A titled part of the gallery. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 text-section">{title}</h2>
      {children}
    </section>
  )
}
