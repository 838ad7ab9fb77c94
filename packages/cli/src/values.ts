import type { Flag, Schema } from './commands.ts'
import { Failure } from './failure.ts'

const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema]

/** Whether a flag needs no value: `--force`, and `--no-force` for the opposite. */
export const isSwitch = (schema: Schema): boolean => schema.type === 'boolean' || saysTruth(schema)

/** Whether it is true or false in words, as a query says it. Such a flag may have its word behind it. */
export const saysTruth = (schema: Schema): boolean => schema.enum?.map(String).join() === 'true,false'

/** What a flag takes, in a word: `NUMBER`, `disk|full`, `JSON`. */
export function kindOf(schema: Schema): string {
  if (schema.enum) return schema.enum.join('|')
  const kinds = alternatives(schema).map((one) => {
    if (one.enum) return one.enum.join('|')
    if (one.type === 'array') return isPlain(one.items) ? `${kindOf(one.items)},…` : 'JSON'
    if (one.type === 'integer' || one.type === 'number') return 'NUMBER'
    if (one.type === 'boolean') return 'true|false'
    return one.type === 'object' ? 'JSON' : one.type === 'null' ? 'null' : 'TEXT'
  })
  return kinds.join('|')
}

const isPlain = (schema: Schema | undefined): schema is Schema =>
  schema !== undefined && schema.type !== 'object' && schema.type !== 'array'

/** The value that a text means by a flag's schema; what the schema says beyond the type is for the server to judge. */
export function readValue({ name, schema }: Pick<Flag, 'name' | 'schema'>, text: string): unknown {
  const kinds = alternatives(schema)
  if (text === 'null' && kinds.some((one) => one.type === 'null')) return null
  const kind = kinds.find((one) => one.type !== 'null') ?? schema
  const wrong = (what: string) => new Failure('usage', `--${name} takes ${what}, not "${text}".`)
  if (kind.enum && !kind.enum.map(String).includes(text)) throw wrong(`one of ${kind.enum.join(', ')}`)
  switch (kind.type) {
    case 'integer':
    case 'number': {
      const number = Number(text)
      if (text.trim() === '' || !Number.isFinite(number)) throw wrong('a number')
      if (kind.type === 'integer' && !Number.isInteger(number)) throw wrong('a whole number')
      return number
    }
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw wrong('true or false')
      return text === 'true'
    case 'array': {
      const { items } = kind
      if (isPlain(items) && !text.trim().startsWith('['))
        return text === '' ? [] : text.split(',').map((one) => readValue({ name, schema: items }, one.trim()))
      const list = jsonOf(text, wrong)
      if (!Array.isArray(list)) throw wrong('a JSON array')
      return list
    }
    case 'object':
      return jsonOf(text, wrong)
    default:
      return text
  }
}

function jsonOf(text: string, wrong: (what: string) => Failure): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrong('JSON')
  }
}
