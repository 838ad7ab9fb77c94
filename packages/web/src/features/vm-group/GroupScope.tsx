import { RefreshCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { ApiError } from '../../api/client.ts'
import { errorDetail } from '../../api/errors.ts'
import { BackLink } from '../../shell/BackLink.tsx'
import { Button } from '../../ui/Button.tsx'
import { AlertDialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'

interface GroupScopeProps<G> {
  query: { data: G | undefined; error: Error | null; isFetching: boolean; refetch: () => Promise<unknown> }
  list: { path: string; back: string; view: string }
  texts: { title: string; loading: string; failed: string; notLoaded: string; notFound: string; none: string }
  children: (group: G) => ReactNode
}

/** The page of a pool or set from its address on: it loads, or an alert says that it did not and then there is none. */
export function GroupScope<G>({ query, list, texts, children }: GroupScopeProps<G>) {
  const { data, error, isFetching, refetch } = query
  const [told, setTold] = useState(false)
  // One that is gone is gone, also when an older answer is still in the cache.
  const gone = error instanceof ApiError && error.status === 404
  if (data !== undefined && !gone) return children(data)
  const failed = error !== null && !isFetching
  // What one was just looking at needs no alert to be gone.
  const alert = failed && data === undefined && !told
  const detail = gone ? undefined : errorDetail(error)
  return (
    <>
      <BackLink to={list.path}>{list.back}</BackLink>
      {failed && !alert ? (
        <>
          <PageHeader title={texts.notFound} />
          <EmptyState
            title={gone ? texts.none : texts.notLoaded}
            action={
              <>
                <Button variant="primary" render={<Link to={list.path} />}>
                  {list.view}
                </Button>
                {!gone && (
                  <Button
                    icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
                    onClick={() => {
                      setTold(false)
                      void refetch()
                    }}
                  >
                    Try Again
                  </Button>
                )}
              </>
            }
          >
            {gone
              ? 'It was deleted, or the address is wrong.'
              : 'The server could not be asked, or did not answer as it should.'}
          </EmptyState>
        </>
      ) : (
        <>
          <PageHeader title={texts.title} />
          {!failed && <LoadingState text={texts.loading} outline="rows" />}
        </>
      )}
      <AlertDialog open={alert} onClose={() => setTold(true)} title={texts.notLoaded}>
        <p>{texts.failed}</p>
        {detail && <p className="mt-2">{detail}</p>}
      </AlertDialog>
    </>
  )
}
