import type { ReactNode } from 'react'

interface LegalPageProps {
  title: string
  /** One paragraph that says it all. */
  summary: string
  sections: readonly { title: string; content: ReactNode }[]
}

/** Legal text in ruled sections, the section's name at the left. */
export function LegalPage({ title, summary, sections }: LegalPageProps) {
  return (
    <article className="mx-auto max-w-310 px-4 pt-6 md:px-8 md:pt-10">
      <title>{title}</title>
      <h1 className="text-[1.625rem]/8 font-semibold tracking-[-.018em]">{title}</h1>
      <p className="mt-2 max-w-[72ch] text-card/6 font-normal! text-ink-2">{summary}</p>
      <p className="mt-2 text-hint text-ink-3">Last updated: Nov 21, 2026</p>
      <div className="mt-7 border-b border-line">
        {sections.map(({ title, content }) => (
          <section
            key={title}
            className="grid gap-x-8 gap-y-1.5 border-t border-line py-5 lg:grid-cols-[232px_minmax(0,1fr)]"
          >
            <h2 className="text-section">{title}</h2>
            <div className="max-w-[72ch] space-y-2.5 text-ink-2 [&_li+li]:mt-1 [&_strong]:font-[550] [&_strong]:text-ink [&_ul]:list-disc [&_ul]:pl-4.5">
              {content}
            </div>
          </section>
        ))}
      </div>
    </article>
  )
}
