import { jsonPieces } from '../lib/json-pieces.ts'

/** A value that is read when its turn comes, or the elements of a list one after another. */
export type Part = (() => Promise<unknown>) | AsyncGenerator<unknown>

/** Writes a JSON object of these parts, a piece at a time. */
export async function* writeJson(parts: readonly (readonly [string, Part])[]): AsyncGenerator<string> {
  let separator = '{'
  for (const [name, part] of parts) {
    yield `${separator}\n${JSON.stringify(name)}: `
    separator = ','
    if (typeof part === 'function') yield* jsonPieces(await part())
    else yield* writeList(part)
  }
  yield parts.length === 0 ? '{}\n' : '\n}\n'
}

async function* writeList(elements: AsyncGenerator<unknown>): AsyncGenerator<string> {
  let separator = '['
  for await (const element of elements) {
    yield `${separator}\n`
    yield* jsonPieces(element)
    separator = ','
  }
  yield separator === '[' ? '[]' : '\n]'
}
