import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { errorText } from '../api/errors.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { LoadingState } from '../ui/LoadingState.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { BackLink } from './BackLink.tsx'

interface ObjectPageProps<T> {
  /** The object from the list of its project; undefined while the list loads, and when it is not in it. */
  object: T | undefined
  list: { loading: boolean; error: Error | null; refetch: () => Promise<unknown> }
  /** The list the object is in. */
  back: { to: string; label: string }
  texts: {
    title: string
    loading: string
    errorTitle: string
    failed: string
    gone: string
    goneTitle: string
  }
  children: (object: T) => ReactNode
}

/** The page of one object: loading, failed, not found (any more), or shown. */
export function ObjectPage<T>({ object, list, back, texts, children }: ObjectPageProps<T>) {
  return (
    <>
      <BackLink to={back.to}>{`Back to ${back.label}`}</BackLink>
      {object !== undefined ? children(object) : <Absent list={list} back={back} texts={texts} />}
    </>
  )
}

function Absent({ list, back, texts }: Pick<ObjectPageProps<unknown>, 'list' | 'back' | 'texts'>) {
  if (list.loading) {
    return (
      <>
        <PageHeader title={texts.title} />
        <LoadingState text={texts.loading} outline="rows" />
      </>
    )
  }
  if (list.error) {
    return (
      <>
        <PageHeader title={texts.title} />
        <ErrorState
          title={texts.errorTitle}
          message={errorText(list.error, texts.failed)}
          onRetry={() => void list.refetch()}
        />
      </>
    )
  }
  return (
    <>
      <PageHeader title={texts.gone} />
      <EmptyState
        title={texts.goneTitle}
        action={
          <Button variant="primary" render={<Link to={back.to} />}>
            {`View ${back.label}`}
          </Button>
        }
      >
        It was deleted, or the URL is wrong.
      </EmptyState>
    </>
  )
}
