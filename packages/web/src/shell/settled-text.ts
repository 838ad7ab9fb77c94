type Known = ReadonlyMap<string, string>

export interface WithStatus {
  id: string
  name: string
  status: string
}

/** How to describe objects of one kind. */
export interface Kind {
  /** `VMs` */
  plural: string
  /** Whether the status is transitional. Those are not announced. */
  isUnderWay: (item: { status: string }) => boolean
}

/** More changes than this at once are announced as a number. */
const namedAtMost = 3

export function statusesOf(items: readonly WithStatus[]): Known {
  return new Map(items.map(({ id, status }) => [id, status]))
}

/** The text about objects that settled since the statuses in `before`; null when there are none. */
export function settledText(before: Known, items: readonly WithStatus[], kind: Kind): string | null {
  const settled = items.filter((item) => {
    const old = before.get(item.id)
    return old !== undefined && old !== item.status && !kind.isUnderWay(item)
  })
  if (settled.length === 0) return null
  if (settled.length > namedAtMost) return `${settled.length} ${kind.plural} changed their status`
  return settled.map(({ name, status }) => `${name} is ${wordOf(status)}`).join(', ')
}

function wordOf(status: string): string {
  return status === 'error' ? 'in error' : status
}
