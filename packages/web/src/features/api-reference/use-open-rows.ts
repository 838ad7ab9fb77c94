import { useCallback, useEffect, useState } from 'react'
import { useLocation } from 'react-router'

/**
 * Which rows are open, by their ids. A link to one, by the hash of the URL, opens it and goes there, also when the link is followed
 * again; `isReady` says that the rows are there.
 */
export function useOpenRows(isReady: boolean): [ReadonlySet<string>, (id: string) => void] {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is another one each time a link is followed
  useEffect(() => {
    const id = decodeURIComponent(hash.slice(1))
    if (!isReady || id === '') return
    setOpen((now) => new Set(now).add(id))
    // Once it is drawn open.
    const frame = requestAnimationFrame(() => {
      const row = document.getElementById(id)
      row?.scrollIntoView({ block: 'start' })
      row?.querySelector('summary')?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [isReady, hash, key])
  const toggle = useCallback(
    (id: string) =>
      setOpen((now) => {
        const next = new Set(now)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  return [open, toggle]
}
