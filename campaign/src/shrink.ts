/** Makes a failing script short: leaves out what is not needed to break the same rule (delta debugging). */
import type { Step } from './script.ts'

/**
 * @param fails whether a script still breaks the rule; each try is a campaign of its own
 * @param mayTry whether there is time for one more try
 */
export async function shrink(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
  mayTry: () => boolean,
): Promise<Step[]> {
  let shortest = [...steps]
  let parts = 2
  while (shortest.length > 1 && mayTry()) {
    const size = Math.ceil(shortest.length / parts)
    let shorter: Step[] | null = null
    for (let at = 0; at < shortest.length && mayTry(); at += size) {
      const rest = [...shortest.slice(0, at), ...shortest.slice(at + size)]
      if (rest.length > 0 && (await fails(rest))) {
        shorter = rest
        break
      }
    }
    if (shorter) {
      shortest = shorter
      parts = Math.max(2, parts - 1)
    } else if (size === 1) break
    else parts = Math.min(shortest.length, parts * 2)
  }
  return shortest
}
