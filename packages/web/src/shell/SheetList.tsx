import type { ReactNode } from 'react'
import { fullErrorText } from '../api/errors.ts'
import { Banner } from '../ui/Banner.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { LoadingState } from '../ui/LoadingState.tsx'
import { Sheet } from '../ui/Sheet.tsx'

interface LoadedSheetProps {
  title: string
  /** What is shown, in the sentences about loading it: `sessions`, and `Sessions` in a title. */
  things: { inSentence: string; inTitle: string }
  query: { loading: boolean; error: Error | null; retry: () => void }
  actions?: ReactNode
  /** A sentence above all else. */
  note?: string
  /** Why some of it cannot be done now. */
  notice?: string | undefined
  /** What was loaded, and dialogs. */
  children: ReactNode
}

/** A sheet such as those of the account page, while its content loads and when that fails. */
export function LoadedSheet({ title, things, query, actions, note, notice, children }: LoadedSheetProps) {
  const { loading, error, retry } = query
  return (
    <Sheet aria-label={title} title={title} actions={actions}>
      {note && <p className="px-4 py-3 text-ink-2">{note}</p>}
      {notice && (
        <Banner tone="info" className="mx-4 mb-3">
          {notice}
        </Banner>
      )}
      {loading && (
        <div className={note ? 'px-4 pb-3' : 'px-4 py-3'}>
          <LoadingState text={`Loading ${things.inSentence}...`} />
        </div>
      )}
      {error && !loading && (
        <div className={note ? 'px-4 pb-4' : 'p-4'}>
          <ErrorState
            title={`Error Loading ${things.inTitle}`}
            message={fullErrorText(`Failed to load ${things.inSentence}.`, error)}
            onRetry={retry}
          />
        </div>
      )}
      {children}
    </Sheet>
  )
}

interface SheetListProps extends LoadedSheetProps {
  /** Instead of an empty list. */
  empty?: string
  /** The rows. */
  children: readonly ReactNode[]
  /** Below the list. */
  foot?: ReactNode
  /** The dialogs of the list. */
  dialogs: ReactNode
}

/** A short list on a sheet of its own. */
export function SheetList({ empty, children, foot, dialogs, ...sheet }: SheetListProps) {
  const { loading, error } = sheet.query
  return (
    <LoadedSheet {...sheet}>
      {empty && !loading && !error && children.length === 0 && (
        <p className="border-t border-line px-4 py-3 text-ink-3">{empty}</p>
      )}
      {children.length > 0 && (
        <ul className={sheet.note ? 'divide-y divide-line border-t border-line' : 'divide-y divide-line'}>
          {children}
        </ul>
      )}
      {foot}
      {dialogs}
    </LoadedSheet>
  )
}

interface SheetRowProps {
  name: string
  /** A word beside the name. */
  mark?: string | undefined
  action?: ReactNode
  /** A line between the name and the small print. */
  detail?: ReactNode
  /** The small print: spans side by side. */
  children: ReactNode
}

export function SheetRow({ name, mark, action, detail, children }: SheetRowProps) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 px-4 py-3">
      <h3 className="self-center text-body font-[550] wrap-anywhere">
        <bdi>{name}</bdi>
        {mark && <span className="ml-2 text-hint font-normal text-ink-3">{mark}</span>}
      </h3>
      {action ?? <span />}
      {detail && <p className="col-span-2 text-dense wrap-anywhere text-ink-2">{detail}</p>}
      <p className="col-span-2 mt-1 flex flex-wrap gap-x-4 text-hint text-ink-3">{children}</p>
    </li>
  )
}
