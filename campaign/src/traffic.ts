/** Sends the operations of the users and notes in the world what their answers make known. */
import { type Answer, requestOf } from './client.ts'
import type { Finding } from './compare.ts'
import { sendTwice, withKey } from './operations/again.ts'
import { type Errand, type Operation, successOf } from './operations/operation.ts'
import { operations } from './operations.ts'
import type { Person } from './people.ts'
import type { Step } from './script.ts'
import { type Kind, type Known, learnCreated, newKnown, objectOf, shareName, type World } from './world.ts'

/** An operation of a user; what the runner needs of it. */
export interface Deed {
  operation: string
  /** Null: no answer came. */
  answer: Answer | null
  /** When it was sent, in the time of `performance`. */
  began: number
  /** Milliseconds that it may have waited for a guest. */
  waitsMs: number
  /** What the answer proves to be broken. */
  finding: Finding | null
}

export async function perform(
  host: Errand['host'],
  world: World,
  people: readonly Person[],
  step: Step & { do: 'operation' },
): Promise<Deed | null> {
  const { user, args, n } = step
  const operation = operations[step.operation]
  const person = people[user]
  if (!operation || !person) throw new Error(`There is no operation ${step.operation} of user ${user}`)
  // What a shorter script does not create, it cannot use.
  const handles = ['on', 'project', 'key', 'disk', 'vm', 'snapshot', 'template'].flatMap((name) =>
    typeof args[name] === 'string' ? [args[name]] : [],
  )
  if (handles.some((handle) => !world.objects.has(handle))) return null
  const handle = `s${n}`
  const parts = operation.parts(args, (name) => objectOf(world, name), handle)
  const created = operation.creates && asked(world, operation, operation.creates, step, parts.body)
  if (created) world.objects.set(handle, created)
  const errand: Errand = { host, world, person, args, parts, handle }
  const sent = { operation: step.operation, began: performance.now(), waitsMs: operation.waitsMs ?? 0 }
  const { answer, finding } = await send(operation, errand, created)
  const gone = operation.deletes && objectOf(world, args.on)
  if (answer === null) {
    operation.forget?.(world, args)
    if (gone) leave(world, gone, 'perhaps leaving')
    return { ...sent, answer, finding }
  }
  const judged = finding ?? operation.judge?.(world, args, answer) ?? null
  if (answer.status === successOf(operation)) {
    operation.learn?.(world, args, answer)
    if (created) learnCreated(created, firstOf(answer.text))
    if (gone) leave(world, gone, 'leaving')
  } else if (created) world.objects.delete(handle)
  if (answer.status === 401) await person.signIn()
  return { ...sent, answer, finding: judged }
}

async function send(operation: Operation, errand: Errand, created: Known | undefined) {
  if (operation.endpoint === null || operation.send)
    return { answer: (await operation.send?.(errand)) ?? null, finding: null }
  const { client } = errand.person
  const plain = requestOf(operation.endpoint, errand.parts)
  if (!created || !operation.endpoint.idempotent) return { answer: await client.send(plain), finding: null }
  const request = withKey(plain, created.handle)
  created.creation = request
  if (errand.args.twice) return sendTwice(client, request, `${created.kind} ${created.name}`)
  return { answer: await client.send(request), finding: null }
}

/** What an answer says was created; of several the first. */
function firstOf(text: string): Record<string, unknown> {
  const made = JSON.parse(text) as Record<string, unknown> | Record<string, unknown>[]
  return Array.isArray(made) ? (made[0] ?? {}) : made
}

function asked(
  world: World,
  { mayFail }: Operation,
  kind: Kind,
  { user, args, n }: Step & { do: 'operation' },
  body: unknown,
): Known {
  const { name, key_name, port } = body as { name?: string; key_name?: string; port?: number }
  const faulty =
    mayFail === true ||
    typeof args.fault === 'string' ||
    (typeof args.manner === 'string' && args.manner !== 'whole')
  const known = newKnown({
    handle: `s${n}`,
    kind,
    user,
    project: typeof args.project === 'string' ? args.project : null,
    name: kind === 'share' ? shareName(objectOf(world, args.vm).name, port) : (name ?? key_name ?? ''),
    power: kind === 'vm' && !faulty ? 'on' : null,
    faulty,
  })
  if (kind === 'vm' && typeof args.disk === 'string') known.takes = args.disk
  if (kind === 'share') known.vm = String(args.vm)
  return known
}

/** A VM that goes lets go of its disks and takes its shared ports along; of one that perhaps goes nobody knows. */
function leave(world: World, gone: Known, fate: 'leaving' | 'perhaps leaving'): void {
  gone.fate = fate
  for (const one of world.objects.values()) {
    if (one.kind === 'disk' && one.facts.vm_id === gone.id) delete one.facts.vm_id
    if (one.vm === gone.handle && one.fate === 'there') one.fate = fate
  }
}
