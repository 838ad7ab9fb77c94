import { type EndpointId, routeOf } from '@slipway/contract/endpoint.ts'
import { routes } from '@slipway/contract/routes.ts'
import { Failure } from './failure.ts'

/** An object of a list, as far as it can be named. */
export interface Listed {
  id: string
  [field: string]: unknown
}

/** The objects in the answer of a list call, which may be beside other things. */
export function listed(answer: unknown): Listed[] {
  const list = Array.isArray(answer) ? answer : Object.values(Object(answer)).find(Array.isArray)
  return (list ?? []).filter((one): one is Listed => typeof one?.id === 'string')
}

/** What people call an object: its name, or the email address of a member. */
export function labelsOf(object: Listed): string[] {
  const { name, key_name, email, object: about } = object
  const labels = [name, key_name, email, Object(about).name]
  return labels.filter((label): label is string => typeof label === 'string' && label !== '')
}

const paths = Object.keys(routes).map((id) => {
  // The keys of a constant.
  const known = id as EndpointId
  return { id: known, ...routeOf(known) }
})

/**
 * The call that lists what a parameter names: `/vms` for `/vms/:vmId`. The path of the command itself comes first, then what anyone
 * may list; null where nothing lists it.
 */
export function listCallOf(param: string, path?: string): EndpointId | null {
  const prefixes = [...(path ? [path] : []), ...paths.map((one) => one.path).toSorted(adminLast)]
    .filter((one) => `${one}/`.includes(`/:${param}/`))
    .map((one) => one.slice(0, one.indexOf(`/:${param}`)))
  for (const prefix of prefixes) {
    const found = paths.find((one) => one.method === 'GET' && one.path === prefix)
    if (found) return found.id
  }
  return null
}

const isAdmin = (path: string) => path.startsWith('/api/admin/')
const adminLast = (one: string, other: string) => Number(isAdmin(one)) - Number(isAdmin(other))

/** The parameter that a field of a body names: `ssh_key_id` is `sshKeyId`; null for other fields. */
export const paramOfField = (field: string): string | null =>
  field.endsWith('_id') ? field.replace(/_(\w)/g, (_, sign: string) => sign.toUpperCase()) : null

/** The id of the object that a text means: by its id, or by a name that no other has. */
export function pick(list: readonly Listed[], text: string, thing: string): string {
  if (list.some(({ id }) => id === text)) return text
  const found = list.filter((one) => labelsOf(one).includes(text))
  const [only, ...others] = found
  if (!only) throw new Failure('notFound', `There is no ${thing} with the name or id "${text}".`)
  if (others.length === 0) return only.id
  throw new Failure(
    'usage',
    [`The name "${text}" is not unique. Use an id:`, ...found.map(({ id }) => `  ${id}`)].join('\n'),
  )
}
