import { piece } from './turn.ts'

/** A value as JSON, a piece at a time: a long list is cut, and so are those that an object has in its properties. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* listPieces(value)
  else if (typeof value === 'object' && value !== null) yield* objectPieces(value)
  else yield JSON.stringify(value)
}

function* listPieces(list: readonly unknown[]): Generator<string> {
  if (list.length <= piece) return yield JSON.stringify(list)
  for (let at = 0; at < list.length; at += piece)
    yield (at === 0 ? '[' : ',') + JSON.stringify(list.slice(at, at + piece)).slice(1, -1)
  yield ']'
}

function* objectPieces(object: object): Generator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    if (Array.isArray(value)) yield* listPieces(value)
    else yield JSON.stringify(value)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}
