import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'react'
import { flushSync } from 'react-dom'
import { firstInSight, moveOf, type PlacedItems, placeRows, rowAt } from './row-places.ts'

/** Rows that lie so far above and below the screen are there already when one scrolls to them, in pixels. */
const aroundScreen = 240

interface WindowRowsOptions {
  items: readonly { id: string }[]
  columns: number
  gap: number
  /** Where the list begins on the page. */
  top: number
  /** How high a row is, until it has been measured. */
  height: number
}

export interface WindowRows {
  /** The rows to draw, and the first of them that is in sight. */
  first: number
  last: number
  seen: number
  /** Where the first of them begins, and where the list ends. */
  start: number
  total: number
  /** For an element that is as high as its row, whose number it has as `data-index`. */
  measure: (element: HTMLElement | null) => (() => void) | undefined
}

/**
 * Which rows of a long list lie near the window, and where. When the rows above change, because items come or go or
 * turn out higher than they were likely to be, the page scrolls along: what one sees keeps its place.
 */
export function useWindowRows({ items, columns, gap, top, height }: WindowRowsOptions): WindowRows {
  const [changes, redraw] = useReducer((count: number) => count + 1, 0)
  const count = Math.ceil(items.length / columns)
  // A height belongs to the item, wherever it goes; rows of several are mixed anew with each item that comes.
  const keyOf = useCallback(
    (row: number) => (columns === 1 ? (items[row]?.id ?? row) : row),
    [items, columns],
  )
  // Measured heights belong to other cards once the shape changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is the reason
  const heights = useMemo(() => new Map<string | number, number>(), [columns, height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map changes within
  const places = useMemo(
    () => placeRows(count, (row) => heights.get(keyOf(row)) ?? height, gap),
    [count, keyOf, heights, height, gap, changes],
  )

  // Kept from the events: to ask the browser here could let it lay out the page.
  const scroll = useRef<{ from: number; room: number }>(null)
  scroll.current ??= { from: window.scrollY, room: window.innerHeight }
  const { from, room } = scroll.current
  const now: PlacedItems = { items, columns, gap, places }
  const last = useRef<PlacedItems>(null)
  const moved = last.current ? moveOf(last.current, now, from - top, from + room - top) : 0
  const rows = rowsNear(now, from + moved - top, room)

  const drawn = useRef({ now, top, rows })
  useLayoutEffect(() => {
    last.current = now
    drawn.current = { now, top, rows }
    if (moved === 0) return
    window.scrollBy(0, moved)
    scroll.current = { from: window.scrollY, room: window.innerHeight }
  })

  useEffect(() => {
    const look = () => {
      const next = { from: window.scrollY, room: window.innerHeight }
      scroll.current = next
      const { now, top, rows } = drawn.current
      const { first, last } = rowsNear(now, next.from - top, next.room)
      // In this frame, or the window would show what is not drawn yet.
      if (first !== rows.first || last !== rows.last) flushSync(redraw)
    }
    look()
    window.addEventListener('scroll', look, { passive: true })
    window.addEventListener('resize', look)
    return () => {
      window.removeEventListener('scroll', look)
      window.removeEventListener('resize', look)
    }
  }, [])

  const measured = useRef({ heights, keyOf })
  useLayoutEffect(() => {
    measured.current = { heights, keyOf }
  })
  const observer = useRef<ResizeObserver>(null)
  const measure = useCallback((element: HTMLElement | null) => {
    if (!element) return
    observer.current ??= new ResizeObserver((entries) => {
      const { heights, keyOf } = measured.current
      let changed = false
      let isAbove = false
      for (const { target, borderBoxSize } of entries) {
        const row = Number((target as HTMLElement).dataset.index) // only such are observed
        const height = Math.round(borderBoxSize[0]?.blockSize ?? 0)
        if (!target.isConnected || heights.get(keyOf(row)) === height) continue
        heights.set(keyOf(row), height)
        changed = true
        isAbove ||= row < drawn.current.rows.seen
      }
      // Before it is painted where what is in sight would move; else in its own time, or it would hold up the frame.
      if (isAbove) flushSync(redraw)
      else if (changed) redraw()
    })
    observer.current.observe(element)
    return () => observer.current?.unobserve(element)
  }, [])

  return { ...rows, start: places[rows.first] ?? 0, total: places.at(-1) ?? 0, measure }
}

/** The rows between two offsets, those that lie so near around them, and the first that is in sight. */
function rowsNear({ places, gap }: PlacedItems, from: number, room: number) {
  return {
    seen: firstInSight(places, from, gap),
    first: rowAt(places, from - aroundScreen),
    last: rowAt(places, from + room + aroundScreen),
  }
}
