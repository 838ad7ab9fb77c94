import { useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf } from './query.ts'

/** A schema of the API description, as far as it is shown. */
export interface ApiSchema {
  $ref?: string
  description?: string
  type?: string | readonly string[]
  format?: string
  enum?: readonly (string | number)[]
  const?: string | number | boolean
  default?: unknown
  properties?: Readonly<Record<string, ApiSchema>>
  required?: readonly string[]
  items?: ApiSchema
  additionalProperties?: ApiSchema
  anyOf?: readonly ApiSchema[]
  oneOf?: readonly ApiSchema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export interface ApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: ApiSchema
}

interface Ref {
  $ref: string
}

type Content = Readonly<Record<string, { schema: ApiSchema }>>

export interface ApiOperation {
  operationId: string
  summary: string
  tags: readonly string[]
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly (ApiParameter | Ref)[]
  requestBody?: { required: boolean; content: Content }
  responses: Readonly<Record<string, { description: string; content?: Content }>>
}

/** The OpenAPI document of the server, as far as it is shown. */
export interface ApiDocument {
  tags: readonly { name: string; 'x-displayName': string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  components: {
    schemas: Readonly<Record<string, ApiSchema>>
    parameters: Readonly<Record<string, ApiParameter>>
  }
}

/** What the server says of its API. It stays the same until the server is another one. */
export function useApiDocument() {
  return useQuery({
    queryKey: keyOf('host.openApi'),
    // The contract makes it; that it has this form is tested with the page.
    queryFn: async ({ signal }) => (await call('host.openApi', { signal })) as unknown as ApiDocument,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
