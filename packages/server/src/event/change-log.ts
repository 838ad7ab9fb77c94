/** An object that changed. */
export interface Change {
  kind: string
  projectId: string
  id: string
}

/**
 * Which objects changed after a number, and by which number of the count. It holds no states: whoever missed changes
 * gets the objects as they are now. Beyond `maxCount` objects the longest unchanged are forgotten, and with them the
 * answer to what came after their changes.
 */
export function makeChangeLog(maxCount: number) {
  /** In the order of the numbers: a key is put in anew with each change. */
  const changes = new Map<string, { number: number; change: Change }>()
  /** The lowest number after which everything is known. */
  let floor = 0

  return {
    note(change: Change, number: number): void {
      const key = keyOf(change)
      changes.delete(key)
      changes.set(key, { number, change })
      if (changes.size <= maxCount) return
      const [oldest] = changes
      if (!oldest) return
      floor = oldest[1].number
      changes.delete(oldest[0])
    },

    /** What changed after a number, in order; null when that is not known any more. */
    after(number: number): { number: number; change: Change }[] | null {
      if (number < floor) return null
      return [...changes.values()].filter((one) => one.number > number)
    },

    /**
     * Forgets everything up to a number, because there may be changes that were stored and never told: whoever heard
     * that number last may lack those as well.
     */
    forget(number: number): void {
      changes.clear()
      floor = number + 1
    },
  }
}

/** Ids are unique within a kind only: an operation has the id of its object. */
export const keyOf = ({ kind, id }: Change): string => `${kind} ${id}`
