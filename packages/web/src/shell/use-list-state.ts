import { startTransition, useCallback, useMemo, useOptimistic } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { isTyped, type ListSpec, type ListState, readListState, writeListState } from './list-state.ts'

/**
 * The search, filters, order and open row of a list, kept in the URL: a reload, Back and a link show the same list.
 * Typing replaces the history entry, a choice adds one. `spec` must keep its identity.
 */
export function useListState<const S extends ListSpec>(
  spec: S,
): [ListState<S>, (change: Partial<ListState<S>>) => void] {
  const navigate = useNavigate()
  const { search } = useLocation()
  const inUrl = useMemo(() => readListState(search, spec), [search, spec])
  // The router takes a moment to render a new URL; a field must show each letter at once.
  const [shown, show] = useOptimistic(inUrl, (state, change: Partial<ListState<S>>) => ({
    ...state,
    ...change,
  }))
  const change = useCallback(
    (part: Partial<ListState<S>>) =>
      startTransition(async () => {
        show(part)
        const { search, hash } = window.location
        const { usr: state = null } = (history.state ?? {}) as { usr?: unknown }
        await navigate(
          { search: writeListState(search, spec, part), hash },
          { replace: isTyped(spec, part), preventScrollReset: true, state },
        )
      }),
    [navigate, show, spec],
  )
  return [shown, change]
}
