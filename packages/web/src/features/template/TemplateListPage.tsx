import { isFoundIn, type Template } from '@slipway/contract'
import { useMemo } from 'react'
import { fullErrorText } from '../../api/errors.ts'
import { useTemplates } from '../../api/templates.ts'
import { NoMatch, SearchBar } from '../../shell/SearchBar.tsx'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useListSearch } from '../../shell/use-list-search.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { TemplateCard } from './TemplateCard.tsx'

const imageKind = {
  plural: 'images of templates',
  isUnderWay: ({ status }: { status: string }) => status === 'coming',
}

const matchesTemplate = ({ name, description }: Template, search: string) =>
  isFoundIn(search, name, description)

export function Component() {
  const { templates, loading, error, retry } = useTemplates()
  const images = useMemo(
    () => templates.map(({ id, name, image }) => ({ id, name: `The image of ${name}`, status: image.state })),
    [templates],
  )
  useAnnouncedChanges(images, imageKind)
  const search = useListSearch(templates, matchesTemplate)
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
          message={fullErrorText('Failed to load templates. Please try again.', error)}
          onRetry={retry}
        />
      )}
      {!loading && !error && templates.length === 0 && (
        <EmptyState title="No Templates Available">
          VMs are created from templates. The operator of this installation can add templates.
        </EmptyState>
      )}
      <SearchBar search={search} plural="templates" by="name or description" />
      {templates.length > 0 && search.found.length === 0 && <NoMatch search={search} noun="template" />}
      <ul className="grid gap-3 min-[680px]:grid-cols-2 min-[1260px]:grid-cols-3 md:gap-4">
        {search.found.map((template) => (
          <li key={template.id} className="min-w-0">
            <TemplateCard template={template} />
          </li>
        ))}
      </ul>
    </>
  )
}
