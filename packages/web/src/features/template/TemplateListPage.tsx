import { formatCpu, formatMemory, type Template } from '@slipway/contract'
import { useId } from 'react'
import { Link } from 'react-router'
import { errorDetail } from '../../api/errors.ts'
import { useTemplates } from '../../api/templates.ts'
import { paths } from '../../paths.ts'
import { formatShortDate } from '../../time.ts'
import { CardAction, CardFacts, CardFoot } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { pictureOf } from './template-picture.ts'

export function Component() {
  const { templates, loading, error, retry } = useTemplates()
  return (
    <>
      <PageHeader
        title="Templates"
        description="Prebuilt machine images. A VM starts with the CPU and memory shown here."
      />
      {loading && <LoadingState text="Loading templates..." outline="cards" />}
      {error && !loading && (
        <ErrorState
          title="Error Loading Templates"
          message={['Failed to load templates. Please try again.', errorDetail(error)]
            .filter(Boolean)
            .join(' ')}
          onRetry={retry}
        />
      )}
      {!loading && !error && templates.length === 0 && (
        <EmptyState title="No Templates Available">
          A VM starts from a template. The operator of this installation can add some.
        </EmptyState>
      )}
      <ul className="grid gap-3 min-[680px]:grid-cols-2 min-[1260px]:grid-cols-3 md:gap-4">
        {templates.map((template) => (
          <li key={template.id} className="min-w-0">
            <TemplateCard template={template} />
          </li>
        ))}
      </ul>
    </>
  )
}

function TemplateCard({ template }: { template: Template }) {
  const titleId = useId()
  return (
    <article aria-labelledby={titleId} className="sheet flex h-full flex-col">
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
        </div>
      </div>
      <CardFacts
        items={[
          { label: 'CPU', value: formatCpu(template.default_cpu) },
          { label: 'Memory', value: formatMemory(template.default_memory_mb) },
          { label: 'Created', value: formatShortDate(template.created_at) },
        ]}
      />
      <CardFoot ruled={false}>
        <CardAction
          render={<Link to={paths.create(template.id)} aria-label={`Use This Template: ${template.name}`} />}
        >
          Use This Template
        </CardAction>
      </CardFoot>
    </article>
  )
}
