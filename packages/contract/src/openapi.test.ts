import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readDescriptions } from './openapi.descriptions.ts'
import { type Json, makeSchemas } from './openapi.schemas.ts'
import { openApiDocument } from './openapi.ts'

interface Operation {
  operationId: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: ({ name: string; in: string } | { $ref: string })[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
type Content = Record<string, { schema: Json }>

const document = openApiDocument(readDescriptions()) as {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, Json>>
}
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const at = ($ref: string): Json | undefined => {
  const [, , kind = '', name = ''] = $ref.split('/')
  return document.components[kind]?.[name]
}

/** What is in a schema beside a reference that a generator would have to invent a name for. */
function nameless(schema: Json, path: string, isField = false): string[] {
  const { properties, items, anyOf, oneOf, additionalProperties } = schema as Record<string, Json | undefined>
  const choices = ((anyOf ?? oneOf ?? []) as unknown as Json[]).filter(({ type }) => type !== 'null')
  const words = Array.isArray(schema.enum) && schema.type === 'string' && schema.enum.length > 1
  return [
    ...((properties && !isField) || choices.length > 1 || words ? [path] : []),
    ...fieldsOf(schema, path),
    ...(items ? nameless(items, `${path}[]`) : []),
    ...choices.flatMap((one) => nameless(one, path, isField && choices.length === 1)),
    ...(additionalProperties ? nameless(additionalProperties, `${path}{}`) : []),
  ]
}
/** An object that only one field has may stand in it. */
const fieldsOf = ({ properties = {} }: Json, path: string): string[] =>
  Object.entries(properties as Record<string, Json>).flatMap(([name, one]) =>
    nameless(one, `${path}.${name}`, true),
  )

describe('the OpenAPI document', () => {
  it('is the one that the endpoints make (else: npm run openapi)', () => {
    const stored = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')
    expect(JSON.parse(stored)).toEqual(JSON.parse(JSON.stringify(document)))
  })

  it('names every parameter of every path', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      for (const { parameters = [] } of Object.values(methods)) {
        const whole = parameters.map((one) => ('$ref' in one ? at(one.$ref) : one))
        expect(whole.filter((one) => one?.in === 'path').map((one) => one?.name)).toEqual(names)
      }
    }
  })

  it('has a name for every body, answer, item of a list, choice and enumeration', () => {
    const bodies = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((one) =>
        Object.values(one?.content ?? {}).map(({ schema }) => nameless(schema, operationId)),
      ),
    )
    const within = Object.entries(document.components.schemas ?? {}).map(([name, schema]) => {
      const { enum: _, anyOf, oneOf, ...rest } = schema
      const choices = ((anyOf ?? oneOf ?? []) as Json[]).flatMap((one) => nameless(one, name))
      return [...choices, ...fieldsOf(rest, name), ...nameless({ ...rest, properties: undefined }, name)]
    })
    // Export the schema from the contract; where its name is taken, `meta({ id })` says another.
    expect([...bodies, ...within].flat()).toEqual([])
  })

  it('refuses two schemas with one name, and one that differs by its direction', () => {
    const schemas = makeSchemas()
    schemas.of(z.object({ id: z.string() }).meta({ id: 'Twin' }), 'output')
    expect(() => schemas.of(z.object({ id: z.int() }).meta({ id: 'Twin' }), 'output')).toThrow(
      'Two schemas are named Twin',
    )
    const both = z.object({ id: z.string().default('') }).meta({ id: 'Both' })
    schemas.of(z.array(both), 'input')
    expect(() => schemas.of(both, 'output')).toThrow('Both')
  })

  it('refers to what is there, and has nothing that is not referred to', () => {
    const used = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? ''),
    )
    expect([...used].filter((ref) => !at(ref))).toEqual([])
    const { securitySchemes, ...components } = document.components
    const all = Object.entries(components).flatMap(([kind, those]) =>
      Object.keys(those).map((name) => `#/components/${kind}/${name}`),
    )
    expect(all.filter((ref) => !used.has(ref))).toEqual([])
    const asked = operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one)))
    expect(new Set(asked)).toEqual(new Set(Object.keys(securitySchemes ?? {})))
  })

  it('has operations with a name for programs, a described tag, and what they answer', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([])
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(
      new Set(document.tags.map(({ name }) => name)),
    )
    for (const { operationId, responses } of operations) {
      const statuses = Object.keys(responses)
      expect(
        statuses.filter((one) => /^(101|2..)$/.test(one)),
        operationId,
      ).toHaveLength(1)
      expect(
        statuses.some((one) => one.startsWith('4')),
        operationId,
      ).toBe(true)
    }
  })

  it('has the comments of the contract, also those that a schema takes from another', () => {
    const description = (schema: string, field: string) =>
      (document.components.schemas?.[schema]?.properties as Record<string, Json> | undefined)?.[field]
        ?.description
    expect(description('Vm', 'status_message')).toMatch(/^One sentence: why/)
    expect(description('AnyOperation', 'position')).toBe(description('Operation', 'position'))
    expect(description('Error', 'message')).toBeDefined()
    const log = document.paths['/api/projects/{projectId}/activity']?.get?.parameters
    expect(log?.find((one) => 'name' in one && one.name === 'actor')).toHaveProperty('description')
  })
})
