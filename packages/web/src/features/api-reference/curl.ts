import type { ApiSchema } from '../../api/api-reference.ts'
import { curlText } from '../../curl-text.ts'
import { type ApiCall, schemaName } from './calls.ts'

type Schemas = Readonly<Record<string, ApiSchema>>

/** What a shell fills in: `$VM_ID` for `vmId`. */
const variable = (name: string): string => `$${name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()}`

/** The token that a call is made with, by the name of its variable; null where there is none. */
const tokenOf = ({ access }: ApiCall): string | null =>
  access === 'operator' ? '$SLIPWAY_METRICS_TOKEN' : access === 'public' ? null : '$SLIPWAY_TOKEN'

/**
 * The command that makes a call from a shell; null where curl or a token cannot. What the caller has to fill in is a variable in
 * the URL, and in angle brackets in the body.
 */
export function curlOf(call: ApiCall, schemas: Schemas, origin: string): string | null {
  const { method, path, parameters, body, answer, access } = call
  if (access === 'session' || answer.status === '101') return null
  const needed = parameters.filter((one) => one.in === 'query' && one.required)
  const query = needed.map(({ name }) => `${name}=${variable(name)}`).join('&')
  const url =
    origin + path.replace(/\{(\w+)\}/g, (_, name: string) => variable(name)) + (query && `?${query}`)
  const token = tokenOf(call)
  const isForm = body?.type === 'application/x-www-form-urlencoded'
  const content = body && exampleOf(body.schema, schemas)
  return curlText({
    method,
    url,
    token,
    isKeyed: parameters.some((one) => one.in === 'header'),
    ...(body && (isForm ? { form: Object(content) } : { json: content })),
    follows: answer.type === 'text/event-stream',
  })
}

/** The least that a schema takes: what is not required is left out. */
export function exampleOf(schema: ApiSchema, schemas: Schemas, name = 'value'): unknown {
  const named = schemaName(schema)
  if (named !== null) return exampleOf(schemas[named] ?? {}, schemas, name)
  const { properties, required = [], enum: values, const: only, anyOf, oneOf, items, minimum, type } = schema
  if (schema.default !== undefined && !properties) return schema.default
  if (only !== undefined) return only
  if (values) return values[0]
  const [choice] = anyOf ?? oneOf ?? []
  if (choice) return exampleOf(choice, schemas, name)
  if (properties)
    return Object.fromEntries(
      required.map((field) => [field, exampleOf(properties[field] ?? {}, schemas, field)]),
    )
  if (items) return (schema.minItems ?? 0) > 0 ? [exampleOf(items, schemas, name)] : []
  const kind = typeof type === 'string' ? type : type?.[0]
  if (kind === 'boolean') return true
  if (kind === 'integer' || kind === 'number') return Math.max(minimum ?? 1, 1)
  return kind === 'object' ? {} : `<${name}>`
}
