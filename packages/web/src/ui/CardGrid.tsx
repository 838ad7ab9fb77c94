import { type ReactNode, type RefObject, use, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { SelectionMark } from './selection-mark.ts'
import { useWindowRows } from './use-window-rows.ts'

const minCardWidth = 328
/** So long may it take to draw items in full within one frame, in milliseconds; one is drawn however long it takes. */
const drawTime = 4

interface CardGridProps<T> {
  /** Names the list. */
  label: string
  items: readonly T[]
  /** Cards stand side by side where they fit; rows lie close one upon the other. */
  layout?: 'cards' | 'rows'
  /** Of an item in a grid of that width, in pixels: where the ones further down are until they have been measured. */
  likelyHeight: (width: number) => number
  card: (item: T) => ReactNode
  /** Stands for a card until it is drawn: of that height, with the name. */
  outline: (item: T, height: number) => ReactNode
}

/**
 * Cards in rows, only those near the screen in the document, whatever their number. A card comes as an outline with a
 * name and is drawn in full a moment later, so that neither a jump through thousands nor a search holds up the page.
 * When items come or go, the others keep their place on the screen, their state and the focus.
 */
export function CardGrid<T extends { id: string }>({
  label,
  items,
  layout = 'cards',
  likelyHeight,
  card,
  outline,
}: CardGridProps<T>) {
  const grid = useRef<HTMLDivElement>(null)
  const Mark = use(SelectionMark)
  const { columns, gap, top, height } = useGridShape(grid, layout, likelyHeight)
  const rows = useWindowRows({ items, columns, gap, top, height })
  const near = Array.from({ length: rows.last - rows.first + 1 }, (_, at) => {
    const index = rows.first + at
    return { index, first: index * columns, cards: items.slice(index * columns, (index + 1) * columns) }
  })
  const keepFocus = useKeptFocus(items, grid)
  // What one sees comes before what lies above it.
  const seen = near.filter(({ index }) => index >= rows.seen)
  const above = near.slice(0, near.length - seen.length)
  const drawn = useDrawn(
    [...seen, ...above].flatMap(({ cards }) => cards),
    rows.first,
  )

  return (
    // biome-ignore lint/a11y/useSemanticElements: the grid stands between a list and its items here
    <div
      ref={grid}
      role="list"
      aria-label={label}
      tabIndex={-1}
      // The browser would take the moves of the rows below for items that came above.
      className="relative outline-none [overflow-anchor:none]"
      style={{ height: rows.total }}
    >
      {/* One grid for all rows: an item that moves to another row stays the same element. */}
      <div
        role="presentation"
        className="absolute inset-x-0 top-0 grid"
        style={{
          gap,
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          // Not moved by a transform: what stays would have to be painted anew with each row that comes or goes.
          paddingTop: rows.start,
        }}
      >
        {near.flatMap(({ index, first, cards }) => {
          // The height of outlines says nothing about the cards that follow.
          const isDrawn = cards.every(({ id }) => drawn.has(id))
          return cards.map((item, column) => (
            // biome-ignore lint/a11y/useSemanticElements: see above
            <div
              key={item.id}
              // All of a row are as high as the highest.
              ref={isDrawn && column === 0 ? rows.measure : undefined}
              data-index={index}
              role="listitem"
              aria-posinset={first + column + 1}
              aria-setsize={items.length}
              className="min-w-0 contain-layout"
              {...keepFocus(item.id)}
            >
              {!drawn.has(item.id) ? (
                outline(item, height)
              ) : Mark ? (
                <Mark item={item} items={items}>
                  {card(item)}
                </Mark>
              ) : (
                card(item)
              )}
            </div>
          ))
        })}
      </div>
    </div>
  )
}

/** When the item with the focus goes, the list takes the focus; else it would fall back to the whole page. */
function useKeptFocus(items: readonly { id: string }[], grid: RefObject<HTMLElement | null>) {
  const focused = useRef<string>(null)
  useLayoutEffect(() => {
    if (focused.current === null || document.activeElement !== document.body) return
    if (items.some(({ id }) => id === focused.current)) return
    focused.current = null
    grid.current?.focus({ preventScroll: true })
  }, [items, grid])
  return (id: string) => ({
    onFocus: () => {
      focused.current = id
    },
    onBlur: () => {
      focused.current = null
    },
  })
}

/** Which of some items may be drawn in full: those that were before, and some more with each frame that brings no others. */
function useDrawn(items: readonly { id: string }[], first: number): ReadonlySet<string> {
  const [drawn, setDrawn] = useState<ReadonlySet<string>>(new Set())
  const complete = items.every(({ id }) => drawn.has(id))
  const before = useRef(first)
  useEffect(() => {
    const isMoving = before.current !== first
    before.current = first
    if (complete) return
    const draw = () => {
      const start = performance.now()
      const next = new Set(items.flatMap(({ id }) => (drawn.has(id) ? id : [])))
      for (const { id } of items) {
        if (next.has(id)) continue
        next.add(id)
        flushSync(() => setDrawn(new Set(next)))
        if (performance.now() - start > drawTime) return
      }
    }
    let frame = requestAnimationFrame(
      // What scrolls by may be gone with the next frame.
      isMoving ? () => (frame = requestAnimationFrame(draw)) : draw,
    )
    return () => cancelAnimationFrame(frame)
  }, [items, drawn, complete, first])
  return drawn
}

/** How many cards fit side by side, how high they are likely to be, and where the grid begins on the page. */
function useGridShape(
  grid: RefObject<HTMLElement | null>,
  layout: 'cards' | 'rows',
  likelyHeight: (width: number) => number,
) {
  const [shape, setShape] = useState(() => ({ columns: 1, gap: 0, top: 0, height: likelyHeight(Infinity) }))
  useLayoutEffect(() => {
    const element = grid.current
    if (!element) return
    const measure = () => {
      const { width, top } = element.getBoundingClientRect()
      const gap = layout === 'rows' ? 0 : window.innerWidth < 820 ? 12 : 16
      const next = {
        gap,
        columns: layout === 'rows' ? 1 : Math.max(1, Math.floor((width + gap) / (minCardWidth + gap))),
        top: Math.round(top + window.scrollY),
        height: likelyHeight(width),
      }
      setShape((old) =>
        old.columns === next.columns &&
        old.gap === next.gap &&
        old.top === next.top &&
        old.height === next.height
          ? old
          : next,
      )
    }
    measure()
    // The body as well: what stands above the grid may grow or go.
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [grid, layout, likelyHeight])
  return shape
}
