type Known = ReadonlyMap<string, string>

export interface WithStatus {
  id: string
  name: string
  status: string
}

/** How to speak of some kind of object. */
export interface Kind {
  /** `VMs` */
  plural: string
  /** Whether the status will change by itself: that is not told. */
  isUnderWay: (item: { status: string }) => boolean
}

/** More than this many at once are told as a number. */
const namedAtMost = 3

export function statusesOf(items: readonly WithStatus[]): Known {
  return new Map(items.map(({ id, status }) => [id, status]))
}

/** What to say about those that came to rest since the statuses in `before`; null when there is nothing. */
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
