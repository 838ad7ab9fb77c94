/** What a form is about to create, as texts that do the same elsewhere. */
import {
  apiTokenNeeds,
  commandWords,
  type Disk,
  type EndpointId,
  fillPath,
  madeOf,
  type ProjectFile,
  projectFileVersion,
  routeOf,
  type Vm,
  webhookTitle,
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
  /** The VM or disk of a snapshot schedule: a file has it in the entry of that. */
  scheduled?: Vm | Disk
}
interface Named {
  id: string
  name: string
}

/** Whether programs may make a call. What lets somebody in, or is the operator's, a person does in a session. */
export const isForPrograms = (call: EndpointId): boolean =>
  apiTokenNeeds({ id: call, auth: 'session', ...routeOf(call) }) !== null

/** Calls that take no idempotency key. */
const unkeyed: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'apiToken.create',
  'diskSnapshotSchedule.set',
  'projectMember.invite',
  'vm.fork',
  'vmSnapshot.createVms',
  'vmSnapshotSchedule.set',
  'webhook.create',
])

/** As curl sends it. The token is a variable of the shell, or the cookies of a session are in a file. */
export function requestOf({ call, project, params, body }: Creation, origin: string): string {
  const { method, path } = routeOf(call)
  const url = origin + fillPath(path, { ...params, ...(project && { projectId: project.id }) })
  return curlText({
    method,
    url,
    ...(isForPrograms(call) ? { token: '$SLIPWAY_TOKEN' } : { token: null, cookies: 'cookies.txt' }),
    isKeyed: !unkeyed.has(call),
    json: body,
  })
}

/** As the command line takes it, with names where nothing else has them. */
export function commandOf({ call, project, params = {}, body, named }: Creation): string {
  const where = project ? [`--project ${word(project.name)}`] : []
  const lines = (start: string, flags: string[]) => [start, ...where, ...flags].join(' \\\n  ')
  if (call === 'upload.create') {
    // The command line looks at the file itself for the rest.
    const { file_name, name, size } = body
    const path = String(file_name).replace(/^-/, './-')
    return lines(`slipway disk upload ${word(path)}`, flagsOf({ name, size }, named))
  }
  const { noun, verb } = commandWords(call)
  const places = Object.values(params).map((id) => ` ${word(placeOf(id, named))}`)
  return lines(`slipway ${noun} ${verb}${places.join('')}`, flagsOf(body, named))
}

const flagsOf = (fields: object, named: readonly Named[]): string[] =>
  Object.entries(fields).flatMap(([field, value]) => {
    // The project is said once, by its name.
    if (value === undefined || value === null || value === '' || field === 'project_id') return []
    if (value === true) return [`--${field}`]
    if (value === false) return [`--no-${field}`]
    return [`--${field} ${word(textOf(field.endsWith('_id') ? nameOf(String(value), named) : value))}`]
  })

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

/** A name that begins like a flag is one for the command line. */
function placeOf(id: string, named: readonly Named[]): string {
  const name = nameOf(id, named)
  return name.startsWith('-') ? id : name
}

const parts: Partial<Record<EndpointId, keyof ProjectFile>> = {
  'disk.create': 'disks',
  'vm.create': 'vms',
  'vmPool.create': 'pools',
  'vmSet.create': 'sets',
}

const ofSnapshot = 'cannot hold what is made of a snapshot'
const noSnapshots = 'holds no snapshots'

/** Why a file cannot hold it. */
const unheld: Partial<Record<EndpointId, string>> = {
  'apiToken.create': 'holds no API tokens',
  'batch.create': noSnapshots,
  'diskSnapshot.create': noSnapshots,
  'diskSnapshot.createDisk': ofSnapshot,
  'projectMember.invite': 'holds no members',
  'share.create': 'holds the ports of a VM only until that is created',
  'sshKey.create': 'holds no SSH keys',
  'template.create': 'holds no templates',
  'upload.create': 'holds no content of files',
  'vm.fork': 'cannot hold a copy of a VM',
  'vmSnapshot.create': noSnapshots,
  'vmSnapshot.createVms': ofSnapshot,
}

/** Why a file cannot hold the VM or disk that something is of. */
function unheldOwner({ scheduled }: Creation): string | undefined {
  if (!scheduled) return undefined
  if ('deleted_with_vm' in scheduled)
    return scheduled.deleted_with_vm ? 'holds no disks that are deleted with their VM' : undefined
  const isMember = scheduled.vmpool_id !== null || scheduled.vmset_id !== null
  return isMember ? 'holds pools and sets, but not each of their VMs' : undefined
}

/** How else it can be created. */
function waysOf(call: EndpointId): string {
  if (call === 'upload.create') return 'the command'
  return isForPrograms(call) ? 'the command or the request' : 'the request'
}

/** Has what the file would hold, or says why it cannot hold it. */
export function fileOf(creation: Creation): Record<string, unknown> | string {
  const { call, project, body } = creation
  const isOfSnapshot = body.source === 'SNAPSHOT' || typeof body.snapshot_id === 'string'
  const why = isOfSnapshot ? ofSnapshot : (unheld[call] ?? unheldOwner(creation))
  if (why !== undefined) return `A project file ${why}. Use ${waysOf(call)}.`
  const slipway = projectFileVersion
  if (call === 'project.create') {
    const { name, ...rest } = filled(body)
    return { slipway, project: name, ...rest }
  }
  const [part, name, entry] = entryOf(creation)
  return { slipway, project: project?.name, [part]: { [name]: entry } }
}

/** The part of a file that it is in, its name there, and what is under that. */
function entryOf({ call, body, named, scheduled }: Creation): [keyof ProjectFile, string, object] {
  if (scheduled) {
    // What is off is left out.
    const set = Object.entries(body).filter(([, value]) => value !== null && value !== false)
    const schedule = { snapshot_schedule: Object.fromEntries(set) }
    return 'deleted_with_vm' in scheduled
      ? ['disks', scheduled.name, { ...madeOf(scheduled), ...schedule }]
      : [
          'vms',
          scheduled.name,
          { template: scheduled.template_name, ssh_key: scheduled.ssh_key_name, ...schedule },
        ]
  }
  if (call === 'webhook.create') {
    const { description, ...entry } = body
    const title = webhookTitle({ url: String(body.url), description: String(description ?? '') })
    // What is not chosen is all of it.
    const chosen = Object.entries(entry).filter(([, value]) => value !== null)
    return ['webhooks', title, Object.fromEntries(chosen)]
  }
  const part = parts[call]
  if (part === undefined) throw new Error(`Nobody said what a project file has of ${call}`)
  const { name, template_id, ssh_key_id, disks, snapshot_id: _, project_id: __, ...rest } = body
  const entry = {
    ...(typeof template_id === 'string' && { template: nameOf(template_id, named) }),
    ...(typeof ssh_key_id === 'string' && { ssh_key: nameOf(ssh_key_id, named) }),
    ...filled(rest),
    ...(Array.isArray(disks) && disks.length > 0 && { disks: disks.map((disk) => diskIn(disk, named)) }),
  }
  return [part, String(name), entry]
}

/** Without what was left empty. */
const filled = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))

/** One of the project's disks by its name; one that each member of a group gets as it is. */
function diskIn(disk: { disk_id?: string; name?: string; size?: string }, named: readonly Named[]): unknown {
  if (disk.disk_id !== undefined) return named.find(({ id }) => id === disk.disk_id)?.name ?? disk.disk_id
  const { name, size } = disk
  return { name, size }
}
