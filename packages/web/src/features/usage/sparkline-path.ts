/**
 * The line through some values in a box of 100 by 100, oldest left, broken where a value is null; `top` is the value
 * at the upper edge. Empty when no two values follow one another.
 */
export function sparklinePath(values: readonly (number | null)[], top: number): string {
  const step = 100 / Math.max(1, values.length - 1)
  const round = (value: number) => Math.round(value * 10) / 10
  let path = ''
  let drawing = false
  for (const [index, value] of values.entries()) {
    if (value === null) {
      drawing = false
      continue
    }
    const hasNext = (values[index + 1] ?? null) !== null
    const share = Math.min(1, Math.max(0, value / (top || 1)))
    const point = `${round(index * step)} ${round(100 - share * 100)}`
    if (drawing) path += `L${point}`
    else if (hasNext) path += `M${point}`
    drawing = drawing || hasNext
  }
  return path
}
