import { ChevronRight } from 'lucide-react'
import { cloneElement, Fragment, type ReactElement, type ReactNode } from 'react'

interface PageHeaderProps {
  title: string
  description?: ReactNode
  /** The breadcrumb; an entry with `render` is a link. */
  breadcrumb?: readonly {
    label: string
    render?: ReactElement<{ className?: string; children?: ReactNode }>
  }[]
  /** Secondary first, the one primary last. */
  actions?: ReactNode
  /** Quiet facts beside the actions, such as when the page was last updated. */
  meta?: ReactNode
}

export function PageHeader({ title, description, breadcrumb, actions, meta }: PageHeaderProps) {
  return (
    <div className="mb-4 md:mb-5">
      <title>{title}</title>
      {breadcrumb && (
        <nav aria-label="Breadcrumb" className="mb-1.5">
          <ol className="flex min-w-0 flex-wrap items-center gap-x-1.5 text-hint text-ink-3">
            {breadcrumb.map(({ label, render }, index) => (
              <Fragment key={label}>
                {index > 0 && (
                  <li aria-hidden="true">
                    <ChevronRight size={14} strokeWidth={1.6} />
                  </li>
                )}
                <li className="min-w-0 wrap-anywhere">
                  {render
                    ? cloneElement(render, {
                        className: 'text-ink-2 no-underline hover:underline',
                        children: label,
                      })
                    : label}
                </li>
              </Fragment>
            ))}
          </ol>
        </nav>
      )}
      <div className="flex flex-col items-start gap-x-4 gap-y-3 md:flex-row">
        <div className="min-w-0 flex-1">
          <h1 tabIndex={-1} className="text-h1 wrap-anywhere outline-none">
            {title}
          </h1>
          {description && <p className="mt-0.5 max-w-[72ch] text-ink-2">{description}</p>}
        </div>
        {meta && (
          <div className="-mt-2 flex flex-wrap items-center gap-x-3.5 gap-y-1 text-hint text-ink-3 md:mt-0 md:min-h-8">
            {meta}
          </div>
        )}
        {actions && (
          <div
            data-page-actions
            className="flex w-full flex-none flex-wrap items-center gap-2 md:w-auto phone:[&>*:not([aria-label])]:flex-auto phone:[&>*:not([aria-label],:last-child)_.lucide]:hidden"
          >
            {actions}
          </div>
        )}
      </div>
    </div>
  )
}
