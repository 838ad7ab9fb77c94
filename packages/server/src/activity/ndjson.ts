import { Readable } from 'node:stream'
import type { Activity } from '@slipway/contract'

/** One JSON object a line, of what comes in parts. */
export function ndjson(parts: AsyncIterable<Activity[]>): Readable {
  async function* lines() {
    for await (const part of parts) yield part.map((one) => `${JSON.stringify(one)}\n`).join('')
  }
  return Readable.from(lines())
}
