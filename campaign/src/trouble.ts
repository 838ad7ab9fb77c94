/** What excuses calls of users while a fault is dealt to one of the parts that answer them. */

/**
 * From the mildest: an account floods the server, and its calls wait for each other; nobody does what calls wait for
 * (drives, or holds the world); the database is away; a server stands still with the calls it has; no server is there
 * at all.
 */
const all = ['none', 'floods', 'nobody drives', 'database away', 'stands still', 'down'] as const
export type Trouble = (typeof all)[number]

const calmMs = 5_000
/** Longer than any call waits for what others do. */
const patientMs = 15_000

/** The longest that a call may take. */
export const slowMs: Record<Trouble, number> = {
  none: calmMs,
  floods: patientMs,
  'nobody drives': patientMs,
  'database away': patientMs,
  'stands still': Number.POSITIVE_INFINITY,
  down: Number.POSITIVE_INFINITY,
}

/** Whether no fault is dealt to a part that answers calls. */
export const isUndisturbed = (trouble: Trouble): boolean => trouble === 'none' || trouble === 'floods'

/** Whether those who only read must not notice it. */
export const isUnnoticed = (trouble: Trouble): boolean => trouble === 'none' || trouble === 'nobody drives'

/** Which of two is further from the mildest. */
export const worse = (one: Trouble, other: Trouble): Trouble =>
  all.indexOf(one) > all.indexOf(other) ? one : other

export function makeTroubles() {
  const now = new Set<{ trouble: Trouble }>()
  const watches = new Set<{ worst: Trouble }>()
  return {
    /** Returns its end. */
    begin(trouble: Trouble): () => void {
      const begun = { trouble }
      now.add(begun)
      for (const watch of watches) watch.worst = worse(watch.worst, trouble)
      return () => void now.delete(begun)
    },
    /** Watches from now on; asked once, it says what the worst was. */
    watch(): () => Trouble {
      const watch = { worst: [...now].reduce<Trouble>((worst, { trouble }) => worse(worst, trouble), 'none') }
      watches.add(watch)
      return () => {
        watches.delete(watch)
        return watch.worst
      }
    },
  }
}
