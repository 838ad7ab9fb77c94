import type { Template } from '@slipway/contract'
import type { ReactNode } from 'react'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { pictureOf } from './template-image.ts'

interface TemplatePanelProps {
  title: string
  template: Pick<Template, 'id' | 'name' | 'description' | 'image_url'> | undefined
  facts: readonly { label: string; value: ReactNode }[]
  /** What to do to see something here. */
  children: ReactNode
  /** Below the facts, with or without a template. */
  foot?: ReactNode
}

/** Beside a form: the template it is about. */
export function TemplatePanel({ title, template, facts, children, foot }: TemplatePanelProps) {
  return (
    <Sheet title={title} aria-label={title} className="lg:sticky lg:top-6.5">
      {template ? (
        <>
          <div className="flex gap-3.5 px-4 pt-3.5 pb-4 text-hint text-ink-2">
            <TemplatePlate templateId={template.id} imageUrl={pictureOf(template.image_url)} size={40} />
            <div className="min-w-0 wrap-anywhere">
              <p className="text-section text-ink">
                <bdi>{template.name}</bdi>
              </p>
              <p>
                <bdi>{template.description}</bdi>
              </p>
            </div>
          </div>
          <Cells columns={2} className="border-t border-line" items={facts} />
        </>
      ) : (
        <p className="px-4 py-3.5 text-hint text-ink-3">{children}</p>
      )}
      {foot}
    </Sheet>
  )
}
