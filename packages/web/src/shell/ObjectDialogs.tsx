import { useIsMutating } from '@tanstack/react-query'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { toast } from '../ui/toast.tsx'
import { type CloseDialog, useDialogInUrl } from './use-dialog.ts'

interface ObjectDialogsProps<T> {
  /** The objects that the dialogs of the page can be about. */
  objects: readonly T[]
  /** Whether `objects` are still loading: until then none counts as missing. */
  loading: boolean
  /** Shown when the object was deleted: `The VM no longer exists.` */
  gone: string
  /** By their names in the URL, which are unique among all dialogs of a page. */
  dialogs: Readonly<Record<string, (object: T, close: CloseDialog) => ReactNode>>
}

/**
 * The dialogs about objects of a page, rendered once by the page and never by a row: rows that appear, move or scroll
 * out of sight close no dialog. `useOpenDialog` opens them, and so does a link with `withDialog`.
 */
export function ObjectDialogs<T extends { id: string }>({
  objects,
  loading,
  gone,
  dialogs,
}: ObjectDialogsProps<T>) {
  const { dialog, close } = useDialogInUrl()
  const render = dialog ? dialogs[dialog.name] : undefined
  const found = render && objects.find(({ id }) => id === dialog?.of)
  // A dialog that deletes its object stays until it closes itself.
  const [last, setLast] = useState<T>()
  if (found && found !== last) setLast(found)
  const object = found ?? (last?.id === dialog?.of ? last : undefined)
  // While a call is in progress, that call may have deleted the object.
  const calling = useIsMutating() > 0
  const missing = render !== undefined && !found && !loading && !calling
  useEffect(() => {
    if (missing && close()) toast.info(gone)
  })
  if (!render || !object) return null
  return <Fragment key={`${dialog?.name} ${dialog?.of}`}>{render(object, close)}</Fragment>
}
