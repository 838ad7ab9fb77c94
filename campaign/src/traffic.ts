/** Sends the operations of the users and notes in the world what their answers make known. */
import type { Answer } from './client.ts'
import { requestOf } from './client.ts'
import { operations } from './operations.ts'
import type { Person } from './people.ts'
import type { Step } from './script.ts'
import { type Kind, type Known, objectOf, type World } from './world.ts'

/** What an acknowledged creation promises to stay, by kind. */
const promised: Record<Kind, string[]> = {
  project: ['name'],
  sshKey: ['name', 'fingerprint'],
  template: ['name'],
  vm: ['name', 'persistent', 'template_id'],
  disk: ['name', 'source'],
  vmSnapshot: ['name', 'vm_id'],
  diskSnapshot: ['name', 'disk_id'],
  vmPool: ['name', 'desired_size', 'min_size', 'max_size'],
  vmSet: ['name', 'replicas'],
}

/** An operation of a user; the two facts that the runner needs of it. */
export interface Deed {
  operation: string
  /** Null: no answer came. */
  answer: Answer | null
}

export async function perform(
  url: string,
  world: World,
  people: readonly Person[],
  step: Step & { do: 'operation' },
): Promise<Deed | null> {
  const { user, args, n } = step
  const operation = operations[step.operation]
  const person = people[user]
  if (!operation || !person) throw new Error(`There is no operation ${step.operation} of user ${user}`)
  // What a shorter script does not create, it cannot use.
  const handles = ['on', 'project', 'key', 'disk', 'vm', 'snapshot'].flatMap((name) =>
    typeof args[name] === 'string' ? [args[name]] : [],
  )
  if (handles.some((handle) => !world.objects.has(handle))) return null
  const handle = `s${n}`
  const parts = operation.parts(args, (name) => objectOf(world, name), handle)
  const created = operation.creates && newKnown(operation.creates, step, parts.body)
  if (created) world.objects.set(handle, created)
  const request = requestOf(operation.endpoint, parts)
  const { client } = person
  const answer = await (operation.send?.(url, client, request) ?? client.send(request))
  const gone = operation.deletes && objectOf(world, args.on)
  if (answer === null) {
    operation.forget?.(world, args)
    if (gone) gone.fate = 'perhaps leaving'
  } else if (answer.status === operation.endpoint.status) {
    operation.learn?.(world, args)
    if (created) learnCreated(created, JSON.parse(answer.text) as Record<string, unknown>)
    if (gone) bury(world, gone)
  } else if (created) world.objects.delete(handle)
  if (answer?.status === 401) await person.signIn()
  return { operation: step.operation, answer }
}

function newKnown(kind: Kind, { user, args, n }: Step & { do: 'operation' }, body: unknown): Known {
  const { name, key_name } = body as { name?: string; key_name?: string }
  const faulty =
    typeof args.fault === 'string' || (typeof args.manner === 'string' && args.manner !== 'whole')
  return {
    handle: `s${n}`,
    kind,
    user,
    project: typeof args.project === 'string' ? args.project : null,
    name: name ?? key_name ?? '',
    id: null,
    fate: 'perhaps',
    facts: {},
    power: kind === 'vm' && !faulty ? 'on' : null,
    faulty,
    excused: false,
  }
}

function learnCreated(known: Known, object: Record<string, unknown>): void {
  known.id = String(object.id)
  known.fate = 'there'
  for (const fact of promised[known.kind]) known.facts[fact] = object[fact]
}

/** A VM that goes lets go of its disks. */
function bury(world: World, gone: Known): void {
  gone.fate = 'leaving'
  for (const { kind, facts } of world.objects.values())
    if (kind === 'disk' && facts.vm_id === gone.id) delete facts.vm_id
}
