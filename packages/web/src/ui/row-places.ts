/** Where the rows of a long list begin, from the top of the list; behind the last row stands where the list ends. */
export type RowPlaces = readonly number[]

export function placeRows(count: number, heightOf: (row: number) => number, gap: number): RowPlaces {
  const starts = [0]
  let end = 0
  for (let row = 0; row < count; row++) {
    end += heightOf(row) + (row < count - 1 ? gap : 0)
    starts.push(end)
  }
  return starts
}

/** The row at an offset; the first one for all that lies above, the last one for all that lies below. */
export function rowAt(places: RowPlaces, offset: number): number {
  let low = 0
  let high = Math.max(0, places.length - 2)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((places[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** The first row of which something lies below an offset: a row of which only the gap behind it does is not in sight. */
export const firstInSight = (places: RowPlaces, offset: number, gap: number): number =>
  rowAt(places, offset + gap)

/** What a list looks like at one moment: its items, so many in each row. */
export interface PlacedItems {
  items: readonly { id: string }[]
  columns: number
  /** Between two rows, in pixels. */
  gap: number
  places: RowPlaces
}

/**
 * By how much the first row in sight moves that still has one of its items. Nothing moves where the first row of all
 * is in sight, for what is new appears there, and where the columns are others.
 */
export function moveOf(before: PlacedItems, after: PlacedItems, from: number, to: number): number {
  const { columns, gap, places } = before
  const first = firstInSight(places, from, gap)
  if (before.places === after.places || columns !== after.columns || first === 0) return 0
  for (let row = first; row <= rowAt(places, to); row++) {
    for (const { id } of before.items.slice(row * columns, (row + 1) * columns)) {
      const at = after.items.findIndex((item) => item.id === id)
      if (at >= 0) return (after.places[Math.floor(at / columns)] ?? 0) - (places[row] ?? 0)
    }
  }
  return 0
}
