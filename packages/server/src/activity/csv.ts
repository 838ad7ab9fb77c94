import { Readable } from 'node:stream'
import type { Activity } from '@slipway/contract'

const columns: readonly [name: string, value: (entry: Activity) => string | null][] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['kind', ({ kind }) => kind],
  ['action', ({ action }) => action],
  ['actor_id', ({ actor }) => actor?.id ?? null],
  ['actor_name', ({ actor }) => actor?.name ?? null],
  ['object_type', ({ object }) => object.type],
  ['object_id', ({ object }) => object.id],
  ['object_name', ({ object }) => object.name],
  ['project_id', ({ project_id }) => project_id],
  ['message', ({ message }) => message],
  ['reason', ({ reason }) => reason],
]

/** What spreadsheets take for a formula: people choose the names that stand here. */
const likeFormula = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]/

/** In quotes, so that nothing inside ends it; what would be a formula is a text by the apostrophe before it. */
const cell = (text: string | null): string => {
  const value = text ?? ''
  return `"${(likeFormula.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`
}

const line = (cells: readonly (string | null)[]): string => `${cells.map(cell).join(',')}\r\n`

/** A table with a head (RFC 4180), of what comes in parts. */
export function csv(parts: AsyncIterable<Activity[]>): Readable {
  async function* lines() {
    yield line(columns.map(([name]) => name))
    for await (const part of parts)
      yield part.map((entry) => line(columns.map(([, value]) => value(entry)))).join('')
  }
  return Readable.from(lines())
}
