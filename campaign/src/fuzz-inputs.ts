/** What contract fuzzing sends: calls that are nearly right, made from the schemas of the endpoints. */
import { type Endpoint, type EndpointId, endpoints } from '@slipway/contract'
import fc from 'fast-check'
import { z } from 'zod'
import { publicKeyOf } from './public-key.ts'

export const roles = ['nobody', 'alice', 'bob', 'admin'] as const
export type Role = (typeof roles)[number]

/** A call before its ids are known. `{"ref":"own 3"}` stands for the third id of that kind that the caller owns. */
export interface Draft {
  endpoint: EndpointId
  role: Role
  params: Record<string, unknown>
  query: Record<string, unknown>
  /** Undefined: no body at all. */
  body: unknown
  /** How the request is spoilt beside its values. */
  spoilt: 'no' | 'cut body' | 'wrong type' | 'upgrade' | `path ${number}`
}

/** An id that is looked up when the call is sent: of whom, and which. */
export interface Ref {
  ref: 'own' | 'foreign'
  index: number
}

export const isRef = (value: unknown): value is Ref =>
  typeof value === 'object' && value !== null && 'ref' in value && 'index' in value

/** Stands for the mark of the caller, by which leaks are found; every caller puts theirs into all names. */
export const markSign = '@mark@'

const nasty = [
  '',
  ' ',
  '\0',
  '\u0000a',
  '\u001b[31m',
  '\u202egnp',
  '\u{1f600}'.repeat(30),
  'e\u0301',
  '\ud800',
  '../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '%',
  '%zz',
  "' OR 1=1 --",
  '"; DROP TABLE vm; --',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e309',
  '0x10',
  'x'.repeat(65),
  'x'.repeat(101),
  'x'.repeat(5_000),
  '00000000-0000-0000-0000-000000000000',
  'a@b',
  'a,b@c.d',
  'a@b.c\r\nBcc: d@e.f',
  'http://127.0.0.1:1/x.qcow2',
  'file:///etc/passwd',
]

const hostileText = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary', maxLength: 40 }))
const hugeNumbers = fc.constantFrom(-1, 0, -0, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, Number.MIN_VALUE, 1e21)
const { hostile } = fc.letrec<{ hostile: unknown }>((tie) => ({
  hostile: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    hostileText,
    hugeNumbers,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('hostile'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom('__proto__', 'constructor', 'id', 'name', 'a'), tie('hostile')), {
        maxLength: 3,
      })
      .map((entries) => Object.fromEntries(entries)),
  ),
}))

const marked = fc.nat(9_999).map((number) => `${markSign}${number}`)
const ref: fc.Arbitrary<Ref> = fc.record({
  ref: fc.constantFrom('own' as const, 'own' as const, 'own' as const, 'foreign' as const),
  index: fc.nat(50),
})

/** Values that pass where a schema cannot say what does. */
const known: Record<string, fc.Arbitrary<unknown>> = {
  size: fc.constantFrom('1Gi', '10Gi', '512Mi', '3', '1e3Gi', '-1Gi'),
  ssh_public_key: fc.nat(99_999).map((number) => publicKeyOf(`fuzz-${number}`)),
  // Never an account of a caller: wrong passwords would lock it.
  email: fc.constantFrom('victim@campaign.example', 'unknown@campaign.example'),
  password: fc.constantFrom('Analytical-Engine-1843', 'wrong'),
  image_url: fc.constantFrom('https://example.com/x.qcow2', 'https://example.com/x.png', ''),
  template_id: fc.constant('starter'),
  name: marked,
  key_name: marked,
  description: marked,
}

type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  minimum?: number
  maximum?: number
}

function valid(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const special = known[name] ?? (/(_id|Id|before)$/.test(name) ? ref : undefined)
  if (special) return special
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valid(one, name)))
  const { minimum = -5, maximum = 25 } = schema
  switch (schema.type) {
    case 'object':
      return nearlyValid(schema)
    case 'array':
      return fc.array(valid(schema.items ?? {}, name), { maxLength: 3 })
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.integer({ min: minimum, max: Math.max(minimum, Math.min(maximum, 25)) })
    case 'null':
      return fc.constant(null)
    default:
      return fc.oneof(marked, hostileText)
  }
}

const missing = Symbol('missing')

/** An object with most properties right, some hostile or missing, and sometimes one too many. */
function nearlyValid({ properties = {} }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(properties).map(([name, schema]) =>
    fc
      .oneof(
        { weight: 22, arbitrary: valid(schema, name) },
        { weight: 2, arbitrary: hostile },
        { weight: 1, arbitrary: fc.constant(missing) },
      )
      .map((value) => [name, value] as const),
  )
  const extra = fc.oneof(
    { weight: 12, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('__proto__', 'is_admin', 'id', 'account_id'), hostile) },
  )
  return fc.tuple(fc.tuple(...entries), extra).map(([pairs, [name, value]]) => {
    const all = typeof name === 'string' ? [...pairs, [name, value] as const] : pairs
    // With entries, `__proto__` becomes a property like any other.
    return Object.fromEntries(all.filter(([, one]) => one !== missing))
  })
}

const jsonSchema = (schema: z.ZodType): Schema =>
  // The parts that are read here are the same in every version of JSON Schema.
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema

function partOf(schema: z.ZodType | undefined): fc.Arbitrary<Record<string, unknown>> {
  return schema ? nearlyValid(jsonSchema(schema)) : fc.constant({})
}

function bodyOf({ body, method }: Endpoint): fc.Arbitrary<unknown> {
  if (!body)
    return method === 'GET' ? fc.constant(undefined) : fc.option(hostile, { nil: undefined, freq: 8 })
  return fc.oneof(
    { weight: 15, arbitrary: nearlyValid(jsonSchema(body)) },
    { weight: 1, arbitrary: hostile },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

/** How many ways there are to spell a path wrongly; see `spoilPath`. */
const pathTricks: ((path: string) => string)[] = [
  (path) => `/..${path}`,
  (path) => `/${path}`,
  (path) => `${path}/`,
  (path) => `${path}%00`,
  (path) => `${path}/%2e%2e/%2e%2e`,
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replace('/api', '/API'),
  (path) => `${path}/${'x'.repeat(8_000)}`,
  (path) => `${path}%zz`,
  (path) => `/assets/..%2f..${path}`,
  (path) => `${path};a=b`,
  (path) => `${path}?${'a=b&'.repeat(500)}`,
]

export const spoilPath = (path: string, trick: number): string => pathTricks[trick]?.(path) ?? path

function draftOf(endpoint: Endpoint): fc.Arbitrary<Draft> {
  const upgrade = endpoint.answers === 'socket' ? 20 : 0
  return fc.record({
    endpoint: fc.constant(endpoint.id),
    role: fc.constantFrom(...roles, 'alice' as const, 'bob' as const),
    params: partOf(endpoint.params),
    query: partOf(endpoint.query),
    body: bodyOf(endpoint),
    spoilt: fc.oneof(
      { weight: 20, arbitrary: fc.constant('no' as const) },
      { weight: upgrade, arbitrary: fc.constant('upgrade' as const) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('cut body' as const, 'wrong type' as const, 'upgrade' as const),
      },
      { weight: 1, arbitrary: fc.nat(pathTricks.length - 1).map((trick) => `path ${trick}` as const) },
    ),
  })
}

/** A call of any endpoint by anybody. */
export const anyDraft: fc.Arbitrary<Draft> = fc.oneof(...endpoints.map(draftOf))
