/** Whether what the API shows is what it acknowledged. Pure, except that it notes in the world what has become known. */
import { isTransitional } from '@slipway/contract'
import type { Seen } from './look.ts'
import type { Violation } from './script.ts'
import type { Known, World } from './world.ts'

export type Finding = Omit<Violation, 'step'>

const underWay = ['scaling', 'deleting']
const broken = ['failed', 'error']

/** Whether a status will change by itself. */
export const isMoving = ({ object: { status } }: Seen): boolean =>
  status !== undefined && (isTransitional({ status }) || underWay.includes(status))

const describe = ({ kind, name, handle, user }: Known) =>
  `${kind} ${name}${name.includes(handle) ? '' : ` (${handle})`} of user ${user}`
const describeSeen = ({ kind, user, object: { name, id } }: Seen) => `${kind} ${name} (${id}) of user ${user}`

/** The server made it by itself: members of groups with their disks, and the snapshot that undoes a restore. */
function madeByServer({ kind, object }: Seen, disksOfGroups: (name: string) => boolean): boolean {
  if (kind === 'vm') return Boolean(object.vmpool_id ?? object.vmset_id)
  if (kind === 'disk') return object.deleted_with_vm === true || disksOfGroups(object.name)
  if (kind === 'vmSnapshot') return object.automatic === true
  return kind === 'template'
}

/** Slack for the clock of the server and the look itself. */
const deadlineSlackMs = 15_000

/** A deadline holds for everything that moves, settled world or not. */
export function checkDeadlines(seen: readonly Seen[], now: number): Finding[] {
  return seen.flatMap((one) => {
    const { status_deadline: deadline, status } = one.object
    if (!deadline || Date.parse(deadline) + deadlineSlackMs > now) return []
    return [
      { rule: 'late', message: `${describeSeen(one)} is still ${status} after its deadline ${deadline}` },
    ]
  })
}

/**
 * Compares the world with a look at everything, taken while no call was under way.
 *
 * @param settled whether everything had time to come to rest
 * @param unlucky whether a fault since the last settled look may have made objects fail, with a reason
 */
export function compare(
  world: World,
  seen: readonly Seen[],
  { settled, unlucky }: { settled: boolean; unlucky: boolean },
): Finding[] {
  const findings: Finding[] = []
  const find = (rule: string, message: string) => findings.push({ rule, message })
  const byId = new Map(seen.map((one) => [`${one.kind} ${one.object.id}`, one]))
  const named = seen.filter(({ object }) => object.deleted_with_vm !== true)
  const byName = new Map(named.map((one) => [`${one.kind} ${one.user} ${one.object.name}`, one]))
  const explained = new Set<Seen>()

  for (const known of world.objects.values()) {
    if (known.fate === 'gone') continue
    const { kind, user, name } = known
    const one =
      byId.get(`${kind} ${known.id}`) ?? (known.id === null ? byName.get(`${kind} ${user} ${name}`) : null)
    if (!one) {
      if (known.fate === 'there') find('lost', `${describe(known)} was acknowledged and is not there`)
      known.fate = 'gone'
      continue
    }
    explained.add(one)
    known.id = one.object.id
    if (known.fate === 'perhaps') known.fate = 'there'
    if (!settled) continue
    if (known.fate === 'leaving') {
      find('kept', `${describe(known)} was deleted and is still there: ${one.object.status}`)
      known.fate = 'gone'
      continue
    }
    known.fate = 'there'
    for (const [fact, value] of Object.entries(known.facts)) {
      if (value === undefined || one.object[fact] === value) continue
      find('changed', `${describe(known)} has ${fact} ${one.object[fact]} in place of ${value}`)
      known.facts[fact] = one.object[fact]
    }
    checkPower(known, one, find)
    const { status = '', status_message: reason } = one.object
    known.excused = broken.includes(status) && (known.excused || unlucky || known.faulty)
    // A snapshot may fail because its VM ended meanwhile.
    if (broken.includes(status) && !known.excused && (kind === 'vm' || kind === 'disk'))
      find('broken', `${describe(known)} is ${status} and nothing happened to it: ${reason}`)
  }

  const groups = new Set(
    [...world.objects.values()].flatMap(({ kind, name }) =>
      kind === 'vmPool' || kind === 'vmSet' ? [name] : [],
    ),
  )
  const ofGroup = (name: string, form = /^(\w+)-data-\d+$/) => groups.has(form.exec(name)?.[1] ?? '')
  const names = new Set<string>()
  for (const one of seen) {
    const { kind, user, object } = one
    if (!explained.has(one) && !madeByServer(one, (name) => ofGroup(name)))
      find('doubled', `${describeSeen(one)} is there and nobody asked for it (again)`)
    const name = `${kind} ${user} ${object.project_id} ${object.name}`
    // The disks of a copied VM are called as those that they are copies of.
    // A member's name is given anew, also while one that had it before is back from the bin, on its own.
    const isOfMember = kind === 'vm' && ofGroup(object.name, /^(\w+)-\d+$/)
    const mayBeTwo = object.automatic === true || object.deleted_with_vm === true || isOfMember
    if (names.has(name) && !mayBeTwo) find('doubled', `There are two of ${describeSeen(one)}`)
    if (!mayBeTwo) names.add(name)
    if (broken.includes(object.status ?? '') && !object.status_message)
      find('silent', `${describeSeen(one)} is ${object.status} without a reason`)
  }
  return findings
}

const statusesAtRest = { on: 'running', off: 'stopped', suspended: 'suspended' } as const

function checkPower(known: Known, { object }: Seen, find: (rule: string, message: string) => void): void {
  if (known.kind !== 'vm' || known.power === null) return
  const { status = '' } = object
  if (broken.includes(status) || status === statusesAtRest[known.power]) return
  // Nobody used it for as long as its user chose.
  if (known.power === 'on' && status === 'suspended' && typeof object.suspend_after_minutes === 'number')
    return
  // It could not be suspended, and says so.
  if (known.power === 'suspended' && status === 'running' && object.status_message) return
  find('untrue', `${describe(known)} shall be ${known.power} and is ${status}`)
}

/** What holds of groups that have come to rest: as many members as they want. */
export function checkGroups(seen: readonly Seen[]): Finding[] {
  return seen.flatMap((one) => {
    const { kind, object } = one
    if (kind !== 'vmPool' && kind !== 'vmSet') return []
    const field = kind === 'vmPool' ? 'vmpool_id' : 'vmset_id'
    const wanted = kind === 'vmPool' ? object.desired_size : object.replicas
    const members = seen.filter((other) => other.kind === 'vm' && other.object[field] === object.id)
    if (object.status !== 'active' || members.length === wanted) return []
    return [
      {
        rule: 'untrue',
        message: `${describeSeen(one)} is active with ${members.length} of ${wanted} members`,
      },
    ]
  })
}

/** A shared port ends with its VM. */
export function checkShares(seen: readonly Seen[]): Finding[] {
  const vms = new Set(seen.flatMap(({ kind, object }) => (kind === 'vm' ? [object.id] : [])))
  return seen
    .filter(({ kind, object }) => kind === 'share' && !vms.has(String(object.vm_id)))
    .map((one) => ({ rule: 'kept', message: `${describeSeen(one)} is there without its VM` }))
}
