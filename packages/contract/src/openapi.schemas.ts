import { z } from 'zod'
import * as contract from './index.ts'

export type Json = Record<string, unknown>

/** Which side of a schema: what a caller sends, or what the server answers with. They differ by defaults. */
export type Direction = 'input' | 'output'

/** What a generator makes a type of. Texts and numbers stay where they are used. */
const isNamed = (schema: unknown): schema is z.ZodType =>
  schema instanceof z.ZodObject || schema instanceof z.ZodUnion || schema instanceof z.ZodEnum

/**
 * A schema is called as the contract exports it: `Vm`. Where a type of the rules has that name already, or where it would hide
 * a word of the language, the schema says its name itself, by `meta({ id })`.
 */
for (const [name, schema] of Object.entries(contract)) {
  if (isNamed(schema) && !schema.meta()?.id) z.globalRegistry.add(schema, { ...schema.meta(), id: name })
}

export interface Schemas {
  /** A schema as JSON Schema, in which those with a name are referred to. */
  of: (schema: z.ZodType, direction: Direction) => Json
  /** Those that were referred to, by their names, sorted. */
  all: () => Record<string, Json>
}

/** Collects the schemas with a name. Throws when two that differ have the same one. */
export function makeSchemas(): Schemas {
  const named = new Map<string, Json>()
  const add = (name: string, schema: Json) => {
    const known = named.get(name)
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(
        `Two schemas are named ${name}, or one that is sent differs from the one that is answered with. Give one of them another name.`,
      )
    named.set(name, schema)
  }
  return {
    of(schema, direction) {
      const {
        $schema,
        $defs = {},
        ...root
      } = z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' }) as Json & {
        $defs?: Record<string, Json>
      }
      for (const [name, one] of Object.entries($defs)) add(name, tidy(one))
      return tidy(root)
    },
    all: () => Object.fromEntries([...named].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

const isSimple = (schema: Json): schema is Json & { type: string } =>
  typeof schema.type === 'string' && !['object', 'array'].includes(schema.type) && !('enum' in schema)

const tidyEach = (schemas: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, tidy(schema)]))

/** Leaves out what says nothing to a reader, and says what may be null as generators like it. */
function tidy(given: Json): Json {
  const schema = { ...given }
  const { $ref, properties, items, additionalProperties: more, anyOf, oneOf } = schema
  if (typeof $ref === 'string') schema.$ref = $ref.replace('#/$defs/', '#/components/schemas/')
  // Zod says what kind each of these is.
  if (properties) schema.properties = tidyEach(properties as Record<string, Json>)
  if (items) schema.items = tidy(items as Json)
  if (more && typeof more === 'object' && Object.keys(more).length > 0)
    schema.additionalProperties = tidy(more as Json)
  // All names of properties are texts.
  delete schema.propertyNames
  // Answers may get more fields some day.
  if (more === false) delete schema.additionalProperties
  // The format says the same.
  if (schema.format === 'date-time') delete schema.pattern
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (oneOf) schema.oneOf = (oneOf as Json[]).map(tidy)
  if (!anyOf) return schema
  const [one, none, ...others] = (anyOf as Json[]).map(tidy)
  if (one && isSimple(one) && none?.type === 'null' && others.length === 0) {
    delete schema.anyOf
    return { ...one, ...schema, type: [one.type, 'null'] }
  }
  return { ...schema, anyOf: [one, none, ...others] }
}
