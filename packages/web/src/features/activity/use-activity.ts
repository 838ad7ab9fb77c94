import type { ActivityPage } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type ActivitySource, loadActivity, useNewestActivity } from '../../api/activity.ts'
import { freshOf, withNewest, withOlder } from './activity-list.ts'

/** So far down the first entries are still in sight, and what comes on top pushes nothing away that is being read. */
const nearTopPx = 80

/**
 * A log as a page shows it: the newest entries and the older ones that were asked for. What is new comes on top at
 * once while the page stands at its top, and waits to be asked for otherwise.
 */
export function useActivity(source: ActivitySource) {
  const key = JSON.stringify(source)
  const newest = useNewestActivity(source)
  const { data, isPlaceholderData } = newest
  const [state, setState] = useState<{ key: string; shown: ActivityPage } | null>(null)
  const shown = state?.key === key ? state.shown : null

  useEffect(() => {
    if (!data || isPlaceholderData) return
    setState((old) => {
      if (old?.key !== key) return { key, shown: data }
      return window.scrollY > nearTopPx ? old : { key, shown: withNewest(old.shown, data) }
    })
  }, [key, data, isPlaceholderData])

  const list = shown ?? data
  const older = useMutation({
    mutationFn: (before: string) => loadActivity(source, { before }),
    onSuccess: (page) =>
      setState((old) => (old?.key === key ? { key, shown: withOlder(old.shown, page) } : old)),
  })
  const fresh =
    shown && data && !isPlaceholderData ? freshOf(shown, data) : { entries: [] as never[], gap: false }

  return {
    entries: list?.entries ?? [],
    loading: list === undefined && newest.isPending,
    error: list === undefined ? newest.error : null,
    retry: () => void newest.refetch(),
    /** Another filter was chosen, and what is shown is still that of the one before. */
    outdated: isPlaceholderData,
    fresh: {
      count: fresh.entries.length,
      more: fresh.gap,
      show: () => data && setState((old) => ({ key, shown: withNewest(old?.shown ?? null, data) })),
    },
    older: {
      exist: (list?.next ?? null) !== null,
      loading: older.isPending,
      error: older.error,
      load: () => list?.next && older.mutate(list.next),
    },
  }
}
