import { isFoundIn } from '@slipway/contract'
import type { ApiDocument, ApiOperation, ApiParameter, ApiSchema } from '../../api/api-reference.ts'

/** One call of the API, in the form in which it is shown. */
export interface ApiCall {
  id: string
  method: string
  path: string
  summary: string
  resource: string
  parameters: readonly ApiParameter[]
  body: { type: string; schema: ApiSchema; required: boolean } | null
  answer: { status: string; description: string; type: string | null; schema: ApiSchema | null }
  refusals: readonly { status: string; meaning: string; sentences: readonly string[] }[]
  access: Access
}

/** With what a call can be made: the access that a token needs, `session` where no token will do. */
export type Access = 'read' | 'write' | 'session' | 'public' | 'operator'

export interface ApiResource {
  name: string
  title: string
  description: string
  calls: readonly ApiCall[]
}

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** The name of the schema that another one refers to. */
export const schemaName = ({ $ref }: ApiSchema): string | null => ($ref === undefined ? null : nameOf($ref))

/** The calls of a document by their resources. */
export function resourcesOf({ tags, paths, components }: ApiDocument): ApiResource[] {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      callOf(path, method, operation, components.parameters),
    ),
  )
  return tags.map(({ name, 'x-displayName': title, description }) => ({
    name,
    title,
    description,
    calls: calls.filter(({ resource }) => resource === name),
  }))
}

function callOf(
  path: string,
  method: string,
  operation: ApiOperation,
  shared: ApiDocument['components']['parameters'],
): ApiCall {
  const { operationId, summary, tags, parameters = [], requestBody, responses } = operation
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {})
  const [done, ...refused] = Object.entries(responses)
  const [[answerType, answer] = []] = Object.entries(done?.[1].content ?? {})
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    summary,
    resource: tags[0] ?? '',
    parameters: parameters.flatMap((one) => ('$ref' in one ? (shared[nameOf(one.$ref)] ?? []) : one)),
    body: type && body ? { type, schema: body.schema, required: requestBody?.required ?? false } : null,
    answer: {
      status: done?.[0] ?? '',
      description: done?.[1].description ?? '',
      type: answerType ?? null,
      schema: answer?.schema ?? null,
    },
    refusals: refused.map(([status, { description }]) => {
      const [meaning = '', ...sentences] = description.split('\n')
      return { status, meaning, sentences: sentences.map((line) => line.replace(/^- /, '')) }
    }),
    access: accessOf(operation),
  }
}

function accessOf({ security }: ApiOperation): Access {
  if (security.length === 0) return 'public'
  const token = security.find((one) => one.apiToken)?.apiToken?.[0]
  if (token === 'read' || token === 'write') return token
  return security.some((one) => one.operator) ? 'operator' : 'session'
}

/** What is left of the resources by a search in their calls. A resource whose name is meant keeps all of them. */
export function searchCalls(resources: readonly ApiResource[], search: string): ApiResource[] {
  return resources
    .map((resource) => ({
      ...resource,
      calls: resource.calls.filter(({ id, method, path, summary }) =>
        isFoundIn(search, id, `${method} ${path}`, summary, resource.title),
      ),
    }))
    .filter(({ calls }) => calls.length > 0)
}
