import type { Answer } from '@slipway/client'
import { print } from './output.ts'
import { cell } from './table.ts'

/** Prints the events of a stream, one a line, until it ends. */
export async function printEvents(answer: Answer, { json }: { json?: boolean }): Promise<void> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const piece of answer.body ?? []) {
    rest += decoder.decode(piece, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const line = eventLine(block, json === true)
      if (line !== null) print(line)
    }
  }
}

/** One event as a line; null for beats and for what is no event; people need no greeting either. */
export function eventLine(block: string, json: boolean): string | null {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
  const event = field('event')
  const data = field('data')
  if (event === undefined || event === 'beat' || data === undefined || (event === 'hello' && !json))
    return null
  if (json) return `{"event":${JSON.stringify(event)},"data":${data}}`
  const { name, id, status, deleted } = Object(JSON.parse(data))
  return [event, cell(name ?? id), deleted ? 'deleted' : cell(status)].join('  ')
}
