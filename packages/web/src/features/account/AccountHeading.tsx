import type { ReactNode } from 'react'

/** Title and one sentence of a page that stands alone. */
export function AccountHeading({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="mb-6">
      <title>{title}</title>
      <h1 className="text-[1.5rem]/8 font-semibold tracking-[-.018em] md:text-[1.625rem]/8">{title}</h1>
      {children && <p className="mt-1 wrap-anywhere text-ink-2">{children}</p>}
    </div>
  )
}
