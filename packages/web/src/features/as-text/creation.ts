/** What a form is about to create, as texts that do the same elsewhere. */
import {
  commandWords,
  type EndpointId,
  fillPath,
  type ProjectFile,
  projectFileVersion,
  routeOf,
} from '@slipway/contract'
import { curlText, shellWord } from '../../curl-text.ts'

/** A call that creates something. */
export interface Creation {
  call: EndpointId
  /** Where; null for what belongs to no project. */
  project: Named | null
  /** What else its path names, such as the VM of a snapshot. */
  params?: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>>
  /** What the ids in the body may mean: templates, SSH keys, disks, VMs. */
  named: readonly Named[]
}
interface Named {
  id: string
  name: string
}

/** As curl sends it. The token is a variable of the shell. */
export function requestOf({ call, project, params, body }: Creation, origin: string): string {
  const { method, path } = routeOf(call)
  const url = origin + fillPath(path, { ...params, ...(project && { projectId: project.id }) })
  return curlText({ method, url, token: '$SLIPWAY_TOKEN', isKeyed: true, json: body })
}

/** As the command line takes it, with names where nothing else has them. */
export function commandOf({ call, project, params = {}, body, named }: Creation): string {
  const { noun, verb } = commandWords(call)
  const flags = Object.entries(body).flatMap(([field, value]) => {
    if (value === undefined || value === null || value === '') return []
    if (value === true) return [`--${field}`]
    if (value === false) return [`--no-${field}`]
    return [`--${field} ${word(textOf(field.endsWith('_id') ? nameOf(String(value), named) : value))}`]
  })
  const places = Object.values(params)
    .map((id) => ` ${word(nameOf(id, named))}`)
    .join('')
  const where = project ? [`--project ${word(project.name)}`] : []
  return [`slipway ${noun} ${verb}${places}`, ...where, ...flags].join(' \\\n  ')
}

const textOf = (value: unknown): string =>
  Array.isArray(value) && value.every((one) => typeof one !== 'object')
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

/** Plain words need no quotes, and what begins like a flag must not be taken for one. */
const word = (text: string): string => (/^[\w.:/,@][\w.:/,@-]*$/.test(text) ? text : shellWord(text))

/** The name of an id; the id itself where several have that name. */
function nameOf(id: string, named: readonly Named[]): string {
  const name = named.find((one) => one.id === id)?.name
  return name === undefined || named.filter((one) => one.name === name).length > 1 ? id : name
}

const parts: Partial<Record<EndpointId, keyof ProjectFile>> = {
  'disk.create': 'disks',
  'vm.create': 'vms',
  'vmPool.create': 'pools',
  'vmSet.create': 'sets',
}

/** Says why a file cannot hold it, or has what the file would hold. */
export function fileOf({ call, project, body, named }: Creation): Record<string, unknown> | string {
  const part = parts[call]
  if (project === null) return 'A project file holds no templates. Use the command or the request.'
  if (part === undefined) return 'A project file holds no snapshots. Use the command or the request.'
  if (body.source === 'SNAPSHOT' || typeof body.snapshot_id === 'string')
    return 'A project file cannot hold what is made of a snapshot. Use the command or the request.'
  const { name, template_id, ssh_key_id, disks, snapshot_id: _, project_id: __, ...rest } = body
  const entry = {
    ...(typeof template_id === 'string' && { template: nameOf(template_id, named) }),
    ...(typeof ssh_key_id === 'string' && { ssh_key: nameOf(ssh_key_id, named) }),
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== '')),
    ...(Array.isArray(disks) && disks.length > 0 && { disks: disks.map((disk) => diskIn(disk, named)) }),
  }
  return { slipway: projectFileVersion, project: project.name, [part]: { [String(name)]: entry } }
}

/** One of the project's disks by its name; one that each member of a group gets as it is. */
function diskIn(disk: { disk_id?: string; name?: string; size?: string }, named: readonly Named[]): unknown {
  if (disk.disk_id !== undefined) return named.find(({ id }) => id === disk.disk_id)?.name ?? disk.disk_id
  const { name, size } = disk
  return { name, size }
}
