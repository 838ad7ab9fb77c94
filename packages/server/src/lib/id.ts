import { randomBytes } from 'node:crypto'

let lastMs = 0
let counter = 0

/**
 * A new id: UUID version 7 (RFC 9562), in lower case. Ids made by one process sort in the order they were made, so
 * "oldest first" is `order by id`; they also sort after `after`, an id of another process.
 */
export function newId(nowMs: number = Date.now(), after?: string | null): string {
  if (after) comeAfter(after)
  if (nowMs > lastMs) {
    lastMs = nowMs
    counter = 0
  } else if (++counter > 0xfff) {
    lastMs++
    counter = 0
  }
  const random = randomBytes(8)
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
  const tail = random.toString('hex')
  return `${idFloor(lastMs)}-7${counter.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

function comeAfter(id: string): void {
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  const count = Number.parseInt(id.slice(15, 18), 16)
  if (ms < lastMs || (ms === lastMs && count <= counter)) return
  lastMs = ms
  counter = count
}

/** How ids begin that were made at that time; they and all later ones sort after it, all older ones before. */
export function idFloor(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}`
}
