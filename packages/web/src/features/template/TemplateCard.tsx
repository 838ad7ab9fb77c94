import { formatCpu, formatMemory, type Template } from '@slipway/contract'
import { type ReactNode, useId } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { formatShortDate } from '../../time.ts'
import { CardAction, CardFacts, CardFoot } from '../../ui/Card.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { TemplateImage } from './TemplateImage.tsx'
import { pictureOf } from './template-image.ts'

/** A template of the catalogue. */
export function TemplateCard({ template }: { template: Template }) {
  return (
    <TemplateDrawing
      template={template}
      cpu={formatCpu(template.default_cpu)}
      memory={formatMemory(template.default_memory_mb)}
      created={formatShortDate(template.created_at)}
      image={<TemplateImage template={template} />}
      foot={
        <CardFoot ruled={false}>
          <CardAction
            render={
              <Link to={paths.create(template.id)} aria-label={`Use This Template: ${template.name}`} />
            }
          >
            Use This Template
          </CardAction>
        </CardFoot>
      }
    />
  )
}

interface TemplateDrawingProps {
  template: Pick<Template, 'id' | 'name' | 'description' | 'image_url' | 'has_start_script'>
  cpu: ReactNode
  memory: ReactNode
  created: string
  image: ReactNode
  foot?: ReactNode
}

/** How a template looks, whether it is there or only thought of. */
export function TemplateDrawing({ template, cpu, memory, created, image, foot }: TemplateDrawingProps) {
  const titleId = useId()
  return (
    <article aria-labelledby={titleId} className="sheet flex h-full flex-col [&>dl:last-child]:border-b-0">
      <div className="flex flex-1 gap-4 px-4 pt-4 pb-4.5">
        <span className="grid size-18 flex-none place-items-center overflow-hidden rounded-check border border-line bg-ground">
          <TemplatePlate
            templateId={template.id}
            imageUrl={pictureOf(template.image_url)}
            size={44}
            className="max-h-18 max-w-18"
          />
        </span>
        <div className="min-w-0">
          <h2 id={titleId} className="text-card wrap-anywhere">
            <bdi>{template.name}</bdi>
          </h2>
          <p
            className="mt-[3px] line-clamp-6 text-dense wrap-anywhere text-ink-2"
            title={template.description}
          >
            <bdi>{template.description}</bdi>
          </p>
          {template.has_start_script && (
            <p className="mt-1.5 text-hint text-ink-2">Includes a start script</p>
          )}
        </div>
      </div>
      {image}
      <CardFacts
        items={[
          { label: 'CPU', value: cpu },
          { label: 'Memory', value: memory },
          { label: 'Created', value: created },
        ]}
      />
      {foot}
    </article>
  )
}
