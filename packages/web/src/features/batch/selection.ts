/** Which objects of a list are selected. Kept outside of the components: a mark is drawn again only when it changes itself. */
import { useSyncExternalStore } from 'react'

interface WithId {
  id: string
}

/** Those of `order` between two of them, both included; the second alone where the first is not there. */
export function between(order: readonly WithId[], from: string | null, to: string): string[] {
  const places = [from, to].map((id) => order.findIndex((one) => one.id === id)).filter((at) => at >= 0)
  if (places.length < 2) return [to]
  return order.slice(Math.min(...places), Math.max(...places) + 1).map(({ id }) => id)
}

/** With these as well, or without them. */
function changed(
  selected: ReadonlySet<string>,
  ids: readonly string[],
  isWanted: boolean,
): ReadonlySet<string> {
  const next = new Set(selected)
  for (const id of ids) isWanted ? next.add(id) : next.delete(id)
  return next
}

export type Selection = ReturnType<typeof makeSelection>

export function makeSelection() {
  let selected: ReadonlySet<string> = new Set()
  /** The one that was changed last: a range begins there. */
  let anchor: string | null = null
  const listeners = new Set<() => void>()
  function set(next: ReadonlySet<string>): void {
    selected = next
    for (const listener of listeners) listener()
  }
  return {
    get: () => selected,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Selects an object or not; with `isRange` also those between it and the one that was changed before. */
    change(
      id: string,
      isWanted: boolean,
      { order, isRange }: { order: readonly WithId[]; isRange: boolean },
    ) {
      set(changed(selected, isRange ? between(order, anchor, id) : [id], isWanted))
      anchor = id
    },
    select: (ids: readonly string[]) => set(changed(selected, ids, true)),
    /** Lets go of those that are not there any more. */
    keep(ids: ReadonlySet<string>) {
      const gone = [...selected].filter((id) => !ids.has(id))
      if (gone.length > 0) set(changed(selected, gone, false))
    },
    clear() {
      anchor = null
      set(new Set())
    },
  }
}

export const useSelected = (selection: Selection): ReadonlySet<string> =>
  useSyncExternalStore(selection.subscribe, selection.get)

export const useIsSelected = (selection: Selection, id: string): boolean =>
  useSyncExternalStore(selection.subscribe, () => selection.get().has(id))
