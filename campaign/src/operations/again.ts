/** Creations that are sent twice with the same key: at once, or once more later. They must never make two objects. */
import { createHash } from 'node:crypto'
import { headers } from '@slipway/contract'
import type { Answer, Client, Request } from '../client.ts'
import type { Finding } from '../compare.ts'
import { type Known, learnCreated, objectOf, type World } from '../world.ts'
import { forgetFacts, isPutOff, type Operation } from './operation.ts'

/** The key of what a step creates, the same whenever it is sent. */
export function withKey(request: Request, handle: string): Request {
  const hex = createHash('sha256').update(handle).digest('hex')
  const key = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
  return { ...request, headers: { ...request.headers, [headers.idempotencyKey]: key } }
}

export interface Twice {
  answer: Answer | null
  finding: Finding | null
}

const isSuccess = ({ status }: Answer) => status < 300
const idIn = ({ text }: Answer) => String((JSON.parse(text) as { id: unknown }).id)

/** Sends a creation twice at once. */
export async function sendTwice(client: Client, request: Request, name: string): Promise<Twice> {
  const answers = await Promise.all([client.send(request), client.send(request)])
  const heard = answers.filter((answer) => answer !== null)
  const [made, again] = heard.filter(isSuccess)
  const refused = heard.find((answer) => !isSuccess(answer))
  const took = Math.max(...heard.map((answer) => answer.took))
  const find = (message: string) => ({
    rule: 'doubled',
    message: `${name} was created twice at once: ${message}`,
  })
  if (made && again && idIn(made) !== idIn(again))
    return { answer: made, finding: find(`as ${idIn(made)} and as ${idIn(again)}`) }
  // Refused first, it may be possible a moment later. Whoever comes after what was made is told of that.
  const isLater = made && refused && refused.took >= made.took
  if (isLater && !isPutOff(refused) && refused.status < 500)
    return { answer: made, finding: find(`one answer was ${refused.status} ${refused.text}`) }
  // One that was put off says nothing of the other.
  const answer = made ?? (heard.length < 2 ? null : (heard.find((one) => !isPutOff(one)) ?? heard[0])) ?? null
  return { answer: answer && { ...answer, took }, finding: null }
}

/** What of a user's may be sent again: everything with a key, also what was never answered and what is gone. */
function mayBeSentAgain(known: Known, user: number): boolean {
  return known.user === user && known.creation !== undefined && !(known.fate === 'gone' && known.id === null)
}

function judge(world: World, args: { on?: unknown }, answer: Answer): Finding | null {
  const known = objectOf(world, String(args.on))
  const what = `The creation of ${known.kind} ${known.name} was sent again`
  if (isSuccess(answer)) {
    if (known.id === null || known.id === idIn(answer)) return null
    return { rule: 'doubled', message: `${what} and made ${idIn(answer)} beside ${known.id}` }
  }
  // Its user has to confirm first who it is, as time went by; then it is known.
  const isToConfirm = answer.status === 403 && answer.text.includes('proof_needed')
  if (known.fate !== 'there' || isPutOff(answer) || answer.status >= 500 || isToConfirm) return null
  return { rule: 'doubled', message: `${what} and was not known: ${answer.status} ${answer.text}` }
}

export const createAgain: Operation = {
  weight: 3,
  endpoint: null,
  choose({ world, user, random }) {
    const known = random.pick([...world.objects.values()].filter((one) => mayBeSentAgain(one, user)))
    return known ? { on: known.handle } : null
  },
  parts: () => ({}),
  async send({ world, args, person: { client } }) {
    const { creation } = objectOf(world, args.on)
    const answer = creation ? await client.send(creation) : null
    // Its own status of success belongs to another call.
    return answer && isSuccess(answer) ? { ...answer, status: 200 } : answer
  },
  judge,
  learn(world, args, answer) {
    const known = objectOf(world, args.on)
    if (known.fate === 'perhaps') learnCreated(known, JSON.parse(answer.text) as Record<string, unknown>)
    perhapsNew(world, known)
  },
  forget: (world, args) => perhapsNew(world, objectOf(world, args.on)),
}

/** What was never seen may have been created only now, and have taken its disk. Nobody saw it yet. */
function perhapsNew(world: World, known: Known): void {
  if (known.fate === 'gone' && known.id === null) known.fate = 'perhaps'
  if (known.takes !== undefined) forgetFacts(world, { on: known.takes }, 'vm_id')
}
