/** The choice of a VM that is not suspended by itself. */
export const never = 'never'

/** Minutes that are offered. */
const offered = [15, 30, 60, 120, 240, 480, 1440] as const

/** What can be chosen, with what is chosen now. */
export function choicesOf(minutes: number | null): { value: string; label: string }[] {
  const all = new Set<number>([...offered, ...(minutes === null ? [] : [minutes])])
  return [
    { value: never, label: 'Keep running' },
    ...[...all]
      .sort((one, other) => one - other)
      .map((one) => ({ value: `${one}`, label: `Suspend after ${spanText(one)}` })),
  ]
}

function spanText(minutes: number): string {
  const [count, noun] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
