/** What the users of a campaign know: every object by what the API acknowledged of it. */
import type { Request } from './client.ts'
import type { Args } from './script.ts'

export type Kind =
  | 'project'
  | 'sshKey'
  | 'template'
  | 'vm'
  | 'disk'
  | 'vmSnapshot'
  | 'diskSnapshot'
  | 'vmPool'
  | 'vmSet'
  | 'share'

export interface Known {
  /** Its name in scripts: that of the step that created it, such as `s12`. */
  handle: string
  kind: Kind
  user: number
  /** Handle of its project; null for what belongs to a user or to all. */
  project: string | null
  name: string
  /** Null while the answer that would tell it is missing. */
  id: string | null
  /**
   * `perhaps`: it was asked for and no answer came. `leaving`: its deletion was acknowledged. `perhaps leaving`: its
   * deletion was asked for and no answer came.
   */
  fate: 'perhaps' | 'there' | 'leaving' | 'perhaps leaving' | 'gone'
  /** What was acknowledged of it, as the API calls it; what may have changed unheard is left out. */
  facts: Record<string, unknown>
  /** What a VM shall be; null when nobody can know. */
  power: 'on' | 'off' | 'suspended' | null
  /** Whether it may fail by itself: its name orders a fault of the simulated engine, or its image never comes whole. */
  faulty: boolean
  /** It was broken by a fault that may do so, and nobody has mended it since. */
  excused: boolean
  /** How it was created, to be sent again: with the same key it must create nothing more. */
  creation?: Request
  /** Of a VM: handle of the disk that it was created with. */
  takes?: string
  /** Of a shared port: handle of its VM. */
  vm?: string
  /** Of a group: the members that its user saw last. */
  members?: { id: string; name: string }[] | undefined
}

/** Something that was asked for just now, unless more is said of it. */
export function newKnown({
  handle,
  kind,
  user,
  project = null,
  name,
  id = null,
  fate = 'perhaps',
  power = null,
  faulty = false,
}: Pick<Known, 'handle' | 'kind' | 'user' | 'name'> & Partial<Known>): Known {
  return { handle, kind, user, project, name, id, fate, facts: {}, power, faulty, excused: false }
}

export interface World {
  objects: Map<string, Known>
}

export const makeWorld = (): World => ({ objects: new Map() })

/** What one user may use now. */
export function ownedBy(world: World, user: number, kind: Kind): Known[] {
  return [...world.objects.values()].filter(
    (object) => object.kind === kind && object.user === user && object.fate === 'there' && object.id !== null,
  )
}

/** The same world, but for the other objects of one's kind: whatever is chosen of that kind is that one. */
export function alone(world: World, handle: string): World {
  const one = objectOf(world, handle)
  return {
    objects: new Map([...world.objects].filter(([, object]) => object === one || object.kind !== one.kind)),
  }
}

export function objectOf(world: World, handle: Args[string] | undefined): Known {
  const object = world.objects.get(String(handle))
  if (!object) throw new Error(`The script names ${handle}, which no step before created`)
  return object
}

/** What campaigns call a shared port, which has no name of its own. */
export const shareName = (vmName: string, port: unknown): string => `port ${port} of ${vmName}`

/** Everything inside a project. */
export const insideOf = (world: World, project: Known): Known[] =>
  [...world.objects.values()].filter((object) => object.project === project.handle && object.fate !== 'gone')

/** What an acknowledged creation promises to stay, by kind. */
const promised: Record<Kind, string[]> = {
  project: ['name'],
  sshKey: ['name', 'fingerprint'],
  template: ['name', 'image_url'],
  vm: ['name', 'persistent', 'template_id'],
  disk: ['name', 'source'],
  vmSnapshot: ['name', 'vm_id'],
  diskSnapshot: ['name', 'disk_id'],
  vmPool: ['name', 'desired_size', 'min_size', 'max_size'],
  vmSet: ['name', 'replicas'],
  share: ['vm_id', 'port', 'kind', 'audience', 'expires_at'],
}

/** What the answer to a creation says. */
export function learnCreated(known: Known, object: Record<string, unknown>): void {
  known.id = String(object.id)
  known.fate = 'there'
  for (const fact of promised[known.kind]) known.facts[fact] = object[fact]
}
