import { useMemo } from 'react'
import { errorDetail } from '../../api/errors.ts'
import { useTemplates } from '../../api/templates.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { TemplateCard } from './TemplateCard.tsx'

const imageKind = {
  plural: 'images of templates',
  isUnderWay: ({ status }: { status: string }) => status === 'coming',
}

export function Component() {
  const { templates, loading, error, retry } = useTemplates()
  const images = useMemo(
    () => templates.map(({ id, name, image }) => ({ id, name: `The image of ${name}`, status: image.state })),
    [templates],
  )
  useAnnouncedChanges(images, imageKind)
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
          VMs are created from templates. The operator of this installation can add templates.
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
