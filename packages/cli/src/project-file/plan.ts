/** What has to be done so that a project is as a file says: pure. */
import { isDeepStrictEqual } from 'node:util'
import type { ProjectFile } from '@slipway/contract'
import { deleteProtected } from '@slipway/contract/vm.rules.ts'
import { refusalsOf, subjects, type Thing } from './calls.ts'
import { type Entries, entryOf, type Objects, type Part, parts, repeatedNames } from './entries.ts'
import { limitsOf } from './limits.ts'
import { type SchedulePart, scheduleChanges, schedulesOf } from './schedules.ts'
import type { Seen } from './seen.ts'
import { takenAlong, withRoom } from './webhooks.ts'

/** A field, with what it is and what it shall be. */
export interface Change {
  field: string
  from: unknown
  to: unknown
}

export type Step =
  | { do: 'create'; what: Thing; name: string }
  | { do: 'change'; what: Thing; name: string; id: string; changes: Change[] }
  | { do: 'detach' | 'attach'; disk: string; vm: string }
  | { do: 'delete'; what: Exclude<Thing, 'project'>; name: string; id: string }

/** What a project has and a file does not. */
interface Left {
  what: Exclude<Thing, 'project'>
  name: string
  id: string
  isProtected: boolean
}

export interface Plan {
  /** In the order in which they are taken. */
  steps: readonly Step[]
  /** Why nothing of it can be done. */
  problems: string[]
  /** What the file does not have, and stays. */
  kept: Pick<Left, 'what' | 'name'>[]
}

/** What one of a part is called. */
export const words = {
  project: 'project',
  disks: 'disk',
  vms: 'VM',
  pools: 'pool',
  sets: 'set',
  webhooks: 'webhook',
  disk_schedules: 'snapshot schedule of disk',
  vm_schedules: 'snapshot schedule of VM',
} as const

/** What can be changed of an object that is there. */
const changeable: Record<Part, readonly string[]> = {
  disks: [],
  vms: [
    'ssh_key',
    'note',
    'tags',
    'delete_protection',
    'cpu',
    'memory_mb',
    'root_disk_gb',
    'persistent',
    'suspend_after_minutes',
  ],
  pools: ['min_size', 'max_size', 'desired_size', 'auto_scaling'],
  sets: ['replicas'],
  webhooks: ['url', 'description', 'objects', 'kinds', 'actions', 'paused'],
}
/** What counts only when an object is made. */
const atFirst = ['share_ports', 'start_script']

/**
 * Plans from what a file says and what was seen. Nothing is deleted unless `alsoDelete`; then what the file does not have
 * goes, after everything else but for webhooks that make room for new ones.
 */
export function planOf(file: ProjectFile, seen: Seen, { alsoDelete }: { alsoDelete: boolean }): Plan {
  const problems: string[] = []
  const each = parts.map((part) => planPart(part, file, seen, problems))
  const { detached, attached } = planAttachments(file, seen, problems)
  const others = each.flatMap(({ left }) => left)
  const going = alsoDelete ? others : []
  for (const { what, name, isProtected } of going)
    if (isProtected) problems.push(`${sentence(what, name)}: ${deleteProtected}`)
  const isGoing = (disk: string) => going.some(({ what, name }) => what === 'disks' && name === disk)
  for (const { name, vm_name } of seen.disks)
    if (isGoing(name) && vm_name !== null && file.vms[vm_name] && !file.vms[vm_name].disks)
      problems.push(
        `Disk ${name} is attached to VM ${vm_name}. Write \`disks\` of the VM, with it or without.`,
      )
  const project: Step[] = seen.project
    ? planProject(file, seen, seen.project, problems)
    : [{ do: 'create', what: 'project', name: file.project }]
  // Disks go last: until its VM is gone one is in use.
  const rank = ({ what }: Left) => Number(what === 'disks')
  const inOrder: Step[] = [
    ...project,
    ...detached,
    ...each.flatMap((part) => part.steps),
    ...attached,
    ...going
      .toSorted((one, other) => rank(one) - rank(other))
      .map(({ what, name, id }): Step => ({ do: 'delete', what, name, id })),
  ]
  const { steps, problems: ofRoom } = withRoom(inOrder, seen.webhooks.length)
  problems.push(...ofRoom)
  for (const step of steps)
    if (step.do === 'create' || step.do === 'change') {
      const subject = step.what === 'project' ? subjects.project : sentence(step.what, step.name)
      problems.push(...limitsOf(step, file, seen).map((limit) => `${subject}: ${limit}`))
    }
  // Whoever makes a project is its owner.
  if (seen.project) problems.push(...refusalsOf(seen.project.role, seen.webhooksHidden, steps))
  return {
    steps,
    problems,
    kept: alsoDelete ? [] : others.map(({ what, name }) => ({ what, name })),
  }
}

/** An object at the beginning of a sentence. */
export const sentence = (what: Thing, name: string) => {
  const word = words[what]
  return `${word[0]?.toUpperCase()}${word.slice(1)} ${name}`
}

function planProject(
  file: ProjectFile,
  seen: Seen,
  { id, name, description }: NonNullable<Seen['project']>,
  problems: string[],
): Step[] {
  if (file.description !== undefined && file.description !== description)
    problems.push(fixed('project', name, { field: 'description', from: description, to: file.description }))
  if (file.internet === undefined || file.internet === seen.internet) return []
  const changes = [{ field: 'internet', from: seen.internet, to: file.internet }]
  return [{ do: 'change', what: 'project', name, id, changes }]
}

/** What is to be made and changed of a part, and what of it the file does not have. */
function planPart<P extends Part>(part: P, file: ProjectFile, seen: Seen, problems: string[]) {
  // Both have the same keys; TypeScript does not see that they go together.
  const wanted = file[part] as Record<string, Entries[P]>
  const objects = seen[part] as unknown as Objects[P][]
  for (const name of repeatedNames(objects))
    if (Object.hasOwn(wanted, name))
      problems.push(`There are several ${words[part]}s "${name}". Rename or delete all but one.`)
  const steps: Step[] = []
  const left: Left[] = []
  for (const [name, entry] of Object.entries(wanted)) {
    const object = objects.find((one) => one.name === name)
    const ofSchedule = planSchedule(part, name, entry, object)
    if (!object) {
      steps.push({ do: 'create', what: part, name }, ...ofSchedule.steps)
      continue
    }
    const why = unmade(part, object)
    if (why) problems.push(why)
    const changes = differences(part, entry, object, seen)
    const url = changes.find(({ field }) => field === 'url')?.to
    if ('url' in object && typeof url === 'string') changes.push(...takenAlong(object, url))
    for (const change of changes)
      if (!changeable[part].includes(change.field) || isShrinking(change))
        problems.push(fixed(part, name, change))
    if (changes.length > 0) steps.push({ do: 'change', what: part, name, id: object.id, changes })
    steps.push(...ofSchedule.steps)
    left.push(...ofSchedule.left)
  }
  for (const one of objects)
    if (!Object.hasOwn(wanted, one.name))
      left.push({ what: part, name: one.name, id: one.id, isProtected: isProtected(one) })
  return { steps, left }
}

/** The snapshot schedule of what is in the file. One of what is not goes or stays with that. */
function planSchedule(
  part: Part,
  name: string,
  entry: Entries[Part],
  object: Objects[Part] | undefined,
): { steps: Step[]; left: Left[] } {
  const [steps, left]: [Step[], Left[]] = [[], []]
  if (part !== 'vms' && part !== 'disks') return { steps, left }
  const what: SchedulePart = schedulesOf[part]
  const wanted = 'snapshot_schedule' in entry ? entry.snapshot_schedule : undefined
  const now = object && 'snapshot_schedule' in object ? object.snapshot_schedule : null
  if (!object || !now) {
    if (wanted) steps.push({ do: 'create', what, name })
  } else if (wanted) {
    const changes = scheduleChanges(now, wanted)
    if (changes.length > 0) steps.push({ do: 'change', what, name, id: object.id, changes })
  } else left.push({ what, name, id: object.id, isProtected: false })
  return { steps, left }
}

/** What is on a disk keeps it from becoming smaller. */
const isShrinking = ({ field, from, to }: Change): boolean =>
  field === 'root_disk_gb' && typeof from === 'number' && typeof to === 'number' && to < from

const isProtected = (object: object): boolean =>
  'delete_protection' in object && object.delete_protection === true

/** One that could not be made is in the way of one that can. */
function unmade(part: Part, object: Objects[Part]): string | null {
  if (!('status' in object) || object.status !== 'failed') return null
  const { name, status_message } = object
  return `${sentence(part, name)} could not be made: ${status_message ?? 'it failed'} Delete it and try again.`
}

const fixed = (what: Thing, name: string, { field, from, to }: Change) =>
  `${sentence(what, name)}: ${field} is ${said(from)} and cannot become ${said(to)}.${
    what === 'project' ? '' : ` Write what it is, or delete the ${words[what]} and apply the file again.`
  }`

/** A value as one word or line. */
export const said = (value: unknown): string =>
  value === '' || value === undefined || (Array.isArray(value) && value.length === 0)
    ? 'empty'
    : typeof value === 'string' && /^[\w.:/-]+$/.test(value)
      ? value
      : JSON.stringify(value)

function differences<P extends Part>(
  part: P,
  entry: Entries[P],
  object: Objects[P],
  { templates }: Seen,
): Change[] {
  const now: Record<string, unknown> = entryOf[part](object)
  const wanted: Record<string, unknown> = entry
  const isScaled = part === 'pools' && (wanted.auto_scaling ?? now.auto_scaling) === true
  const ids: Record<string, unknown> =
    'template_id' in object ? { template: object.template_id, ssh_key: object.ssh_key_id } : {}
  const template = templates.find(({ id }) => id === ids.template)
  return Object.entries(wanted).flatMap(([field, to]) => {
    if (to === undefined || atFirst.includes(field)) return []
    if ((part === 'vms' && field === 'disks') || field === 'snapshot_schedule') return []
    if (isScaled && field === 'desired_size') return []
    // One that is as large as its template makes it has no size of its own.
    if (field === 'root_disk_gb' && now[field] === undefined && to === template?.image.root_disk_gb) return []
    if (isDeepStrictEqual(now[field], to) || (to === ids[field] && field in ids)) return []
    return [{ field, from: now[field], to }]
  })
}

/** Which disks come off VMs that are there, and which onto them. New VMs are made with theirs. */
function planAttachments(file: ProjectFile, seen: Seen, problems: string[]) {
  const detached: Step[] = []
  const attached: Step[] = []
  const homes = new Map<string, string>()
  for (const [vm, { disks = [] }] of Object.entries(file.vms)) for (const disk of disks) homes.set(disk, vm)
  for (const [disk, vm] of homes)
    if (!Object.hasOwn(file.disks, disk) && !seen.disks.some(({ name }) => name === disk))
      problems.push(`VM ${vm}: there is no disk "${disk}", neither in the file nor in the project.`)
  for (const { name: vm, disks } of seen.vms) {
    const wanted = file.vms[vm]?.disks
    for (const { name: disk } of disks) {
      const home = homes.get(disk)
      const isWantedElsewhere = home !== undefined && home !== vm
      if (isWantedElsewhere || (wanted && !wanted.includes(disk))) detached.push({ do: 'detach', disk, vm })
    }
    for (const disk of wanted ?? [])
      if (!disks.some(({ name }) => name === disk)) attached.push({ do: 'attach', disk, vm })
  }
  return { detached, attached }
}
