import type { ProjectEndpointId } from '@slipway/contract'
import { Plus, RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useMay } from '../api/access.ts'
import { errorText } from '../api/errors.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { LoadingState } from '../ui/LoadingState.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { reasonOf } from '../ui/reason.ts'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

export interface ListPageProps {
  title: string
  description: string
  /** While the list loads, when loading failed without a reason, and for an empty list: its title and its sentence. */
  texts: { loading: string; failed: string; none: string; first: string }
  list: {
    loading: boolean
    error: Error | null
    refreshing: boolean
    refetch: () => Promise<void>
    /** How many items there are, and how many match the filters. */
    total: number
    shown: number
  }
  create: { call: ProjectEndpointId; label: string; firstLabel: string; to: string }
  /** Beside Refresh and the create button. */
  moreActions?: ReactNode
  /** Totals and filters. */
  head: ReactNode
  /** The items, and the outline shown while they load. */
  items: ReactNode
  outline?: 'rows' | 'cards'
  /** In place of the items when the filters leave none. */
  noMatch?: ReactNode
}

/** A page that lists one kind of object of a project: loading, failed, empty, without a match, or with items. */
export function ListPage({
  title,
  description,
  texts,
  list,
  create,
  moreActions,
  head,
  items,
  outline = 'rows',
  noMatch = <NoneFound title={texts.none} />,
}: ListPageProps) {
  const { loading, error, refreshing, refetch, total, shown } = list
  const may = useMay()
  const empty = !loading && !error && total === 0
  const toCreate = (variant: 'primary' | 'secondary', text: string) => (
    <Button
      variant={variant}
      icon={<Plus {...icon} />}
      disabledReason={reasonOf(may(create.call))}
      render={<Link to={create.to} />}
    >
      {text}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={title}
        description={description}
        actions={
          <>
            <Button
              icon={<RefreshCw {...icon} />}
              busy={refreshing}
              busyText="Refreshing..."
              onClick={() => void refetch()}
            >
              Refresh
            </Button>
            {moreActions}
            {toCreate(empty ? 'secondary' : 'primary', create.label)}
          </>
        }
      />
      {loading && <LoadingState text={texts.loading} outline={outline} />}
      {error && !loading && (
        <ErrorState
          title={`Error Loading ${title}`}
          message={errorText(error, texts.failed)}
          onRetry={() => void refetch()}
        />
      )}
      {empty && (
        <EmptyState title={texts.none} action={toCreate('primary', create.firstLabel)}>
          {texts.first}
        </EmptyState>
      )}
      {total > 0 && (
        <>
          {head}
          {shown > 0 ? items : noMatch}
        </>
      )}
    </>
  )
}

function NoneFound({ title }: { title: string }) {
  return (
    <div className="py-8">
      <h2 className="text-empty">{title}</h2>
      <p className="mt-1 text-ink-2">Try adjusting your search or filters</p>
    </div>
  )
}
