import type { ApiSchema } from '../../api/api-reference.ts'
import { schemaName } from './calls.ts'

/** A part of the words for a type: text, or the name of a schema to go to. */
export type TypePart = string | { schema: string }

/** A type in words, such as `array of Vm` and `date-time or null`. */
export function typeParts(schema: ApiSchema): TypePart[] {
  const name = schemaName(schema)
  if (name !== null) return [{ schema: name }]
  const { type, items, anyOf, oneOf, enum: values, const: only, additionalProperties, format } = schema
  const choices = anyOf ?? oneOf
  if (choices)
    return choices.flatMap((one, index) => (index > 0 ? [' or ', ...typeParts(one)] : typeParts(one)))
  if (only !== undefined) return [JSON.stringify(only)]
  if (values) return [values.map((one) => JSON.stringify(one)).join(' or ')]
  if (items) return ['array of ', ...typeParts(items)]
  if (additionalProperties && Object.keys(additionalProperties).length > 0)
    return ['object with values: ', ...typeParts(additionalProperties)]
  const types = typeof type === 'string' ? [type] : (type ?? [])
  if (types.length === 0) return ['any value']
  return [types.map((one) => (one === 'string' && format) || one).join(' or ')]
}

/** What else holds for a value, such as `1 to 16` and `default true`. */
export function limitsText(schema: ApiSchema): string | null {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  const parts = [
    rangeText(minimum, maximum, ''),
    // That a text must not be empty goes without saying where it is needed.
    rangeText(minLength === 1 ? undefined : minLength, maxLength, ' characters'),
    rangeText(minItems, maxItems, ' items'),
    schema.default === undefined ? null : `default ${JSON.stringify(schema.default)}`,
  ].filter((part) => part !== null)
  return parts.length > 0 ? parts.join(', ') : null
}

function rangeText(least: number | undefined, most: number | undefined, unit: string): string | null {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
  if (least !== undefined) return `at least ${least}${unit}`
  return most === undefined ? null : `at most ${most}${unit}`
}
