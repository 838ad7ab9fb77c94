import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ApiDocument, ApiSchema } from '../../api/api-reference.ts'
import { resourcesOf, searchCalls } from './calls.ts'
import { limitsText, typeParts } from './schema-words.ts'

const document = JSON.parse(
  readFileSync(new URL('../../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as ApiDocument
const resources = resourcesOf(document)
const find = (search: string) =>
  searchCalls(resources, search).flatMap(({ calls }) => calls.map(({ id }) => id))

describe('the calls of the API', () => {
  it('are all there, by their resources, with what they take and answer', () => {
    const calls = resources.flatMap((one) => one.calls)
    expect(calls).toHaveLength(Object.values(document.paths).flatMap(Object.values).length)
    expect(calls.find(({ id }) => id === 'vmCreate')).toMatchObject({
      method: 'POST',
      path: '/api/projects/{projectId}/vms',
      resource: 'vm',
      access: 'write',
      parameters: [
        { name: 'projectId', in: 'path' },
        { name: 'idempotency-key', in: 'header' },
      ],
      body: { schema: { $ref: '#/components/schemas/VmCreate' }, required: true },
      answer: { status: '201', schema: { $ref: '#/components/schemas/Vm' } },
    })
    const refused = calls.find(({ id }) => id === 'vmGet')?.refusals.find(({ status }) => status === '404')
    expect(refused?.sentences).toEqual(['Project not found', 'VM not found'])
  })

  it('are found by their names, paths, summaries and resources', () => {
    expect(find('vmStart')).toEqual(['vmStart'])
    expect(find('POST /api/projects/{projectId}/vms/{vmId}/fork')).toEqual(['vmFork'])
    expect(find('keep awake')).toEqual(['vmKeepAwake'])
    expect(find('shared ports')).toContain('shareCreate')
    expect(find('')).toHaveLength(resources.flatMap((one) => one.calls).length)
    expect(find('no such call')).toEqual([])
  })
})

describe('a type in words', () => {
  it.each<[ApiSchema, unknown[]]>([
    [{ type: 'string' }, ['string']],
    [{ type: ['string', 'null'], format: 'date-time' }, ['date-time or null']],
    [{ type: 'array', items: { $ref: '#/components/schemas/Vm' } }, ['array of ', { schema: 'Vm' }]],
    [
      { anyOf: [{ $ref: '#/components/schemas/Notice' }, { type: 'null' }] },
      [{ schema: 'Notice' }, ' or ', 'null'],
    ],
    [{ type: 'string', enum: ['a', 'b'] }, ['"a" or "b"']],
    [{ type: 'string', const: 'ok' }, ['"ok"']],
    [{ type: 'object', additionalProperties: { type: 'string' } }, ['object with values: ', 'string']],
    [{}, ['any value']],
  ])('%j', (schema, parts) => expect(typeParts(schema)).toEqual(parts))

  it('says what else holds', () => {
    expect(limitsText({ type: 'string', minLength: 1, maxLength: 64 })).toBe('at most 64 characters')
    expect(limitsText({ type: 'integer', minimum: 1, maximum: 16, default: 1 })).toBe('1 to 16, default 1')
    expect(limitsText({ type: 'integer', minimum: 0 })).toBe('at least 0')
    expect(limitsText({ type: 'boolean' })).toBeNull()
  })
})
