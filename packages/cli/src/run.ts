import { randomUUID } from 'node:crypto'
import type { Answer } from '@slipway/client'
import { routeOf } from '@slipway/contract/endpoint.ts'
import { type Arguments, parseArguments } from './arguments.ts'
import { type Command, type Flag, kindOfAnswer, positionsOf, thingOf, usageOf } from './commands.ts'
import { Failure } from './failure.ts'
import { listCallOf, paramOfField, pick } from './names.ts'
import { pass, print } from './output.ts'
import { isId, openSession, type Parts, type Session } from './session.ts'
import { settingsOf } from './settings.ts'
import { readValue } from './values.ts'

/** Runs a call of the contract with the words that follow its noun and verb. */
export async function runCommand(command: Command, words: readonly string[]): Promise<void> {
  const given = parseArguments(words, command.flags)
  const { common } = given
  if (common.help) return print((await import('./help.ts')).helpOfCommand(command))
  if (command.takesFile)
    throw new Failure(
      'usage',
      'This sends a piece of a file. Send whole files with `slipway disk upload FILE`.',
    )
  const places = placesOf(command, given)
  const session = openSession(settingsOf(common.project))
  if (command.by !== 'anyone' && session.token === undefined)
    throw new Failure('notAllowed', `Not signed in to ${session.server}. Run \`slipway login\`.`)
  const parts = await partsOf(command, places, given.values, session)
  switch (command.answers) {
    case 'file':
      if (process.stdout.isTTY)
        throw new Failure('usage', 'This is a file: say where to, as in `slipway disk download DISK FILE`.')
      return passBody(await session.open(command.id, parts))
    case 'text':
      return passBody(await session.open(command.id, parts))
    case 'events':
      return (await import('./events.ts')).printEvents(await session.open(command.id, parts), common)
    case 'socket':
      return openSocket(command, session, parts)
  }
  const answer = await session.call(command.id, parts)
  if (common.wait && command.id === 'batch.create')
    return (await import('./batch-wait.ts')).awaitBatch(session, batchOf(parts, answer), common)
  // A wait shows what became of it; only for programs the answer itself is all there is.
  const last = common.wait ? await waitFor(command, session, parts, answer, common) : answer
  if (common.json) return last === undefined ? undefined : print(JSON.stringify(last))
  if (last === undefined || last === null) return print(done(command, places))
  const { shown } = await import('./table.ts')
  print(shown(last, kindOfAnswer(command), routeOf(command.id).method !== 'GET'))
}

/** The texts for the parameters of the path, by name; the rest of the words are for required flags, in their order. */
export function placesOf(
  command: Pick<Command, 'noun' | 'verb' | 'params' | 'flags'>,
  { positions, values }: Pick<Arguments, 'positions' | 'values'>,
): Record<string, string> {
  const names = positionsOf(command)
  const usage = `Usage: slipway ${usageOf(command)}`
  const missing = names[positions.length]
  if (missing !== undefined) throw new Failure('usage', `The ${thingOf(missing)} is missing. ${usage}`)
  const open = command.flags.filter((flag) => flag.required && !values.has(flag.name))
  for (const [i, text] of positions.slice(names.length).entries()) {
    const flag = open[i]
    if (!flag) throw new Failure('usage', `Unexpected argument: "${text}". ${usage}`)
    values.set(flag.name, readValue(flag, text))
  }
  const lacking = command.flags.filter((flag) => flag.required && !values.has(flag.name))
  if (lacking.length > 0) {
    const flags = lacking.map(({ name }) => `--${name}`).join(', ')
    throw new Failure('usage', `Required: ${flags}. See \`slipway ${command.noun} ${command.verb} --help\`.`)
  }
  return Object.fromEntries(names.map((name, i) => [name, positions[i] ?? '']))
}

/** The parts of the call, with ids in place of names. */
async function partsOf(
  command: Command,
  places: Record<string, string>,
  values: ReadonlyMap<string, unknown>,
  session: Session,
): Promise<Parts> {
  const params: Record<string, string> = {}
  if (command.params.includes('projectId') && places.projectId === undefined)
    params.projectId = await session.projectId()
  for (const [param, text] of Object.entries(places))
    params[param] = await idOf(param, text, params, session, command)
  const picked = { body: {}, query: {} } as Record<Flag['where'], Record<string, unknown>>
  for (const { name, where } of command.flags) {
    if (!values.has(name)) continue
    const value = values.get(name)
    const param = typeof value === 'string' ? paramOfField(name) : null
    picked[where][name] = param === null ? value : await idOf(param, String(value), params, session)
  }
  return {
    params,
    query: picked.query,
    ...(command.hasBody && { body: picked.body }),
    ...(command.idempotent && { idempotencyKey: randomUUID() }),
  }
}

/** The id that a text means; texts that no list can resolve are taken as they are. */
async function idOf(
  param: string,
  text: string,
  params: Record<string, string>,
  session: Session,
  command?: Command,
): Promise<string> {
  if (isId(text)) return text
  const list = listCallOf(param, command && routeOf(command.id).path)
  if (list === null) return text
  const { path } = routeOf(list)
  if (path.includes(':projectId') && params.projectId === undefined) return text
  const scope: Record<string, string> = params.projectId === undefined ? {} : { projectId: params.projectId }
  return pick(await session.list(list, scope), text, thingOf(param))
}

const batchOf = ({ params = {} }: Parts, answer: unknown) => ({
  projectId: params.projectId ?? '',
  batchId: String(Object(answer).id),
})

async function passBody({ body }: Answer): Promise<void> {
  if (body) await pass(body)
}

async function openSocket(command: Command, session: Session, { params = {} }: Parts): Promise<void> {
  if (command.id !== 'vm.console')
    throw new Failure(
      'failed',
      'A screen cannot be shown in a terminal. Open the VM in the console of the server.',
    )
  const { projectId = '', vmId = '' } = params
  await (await import('./console.ts')).openConsole(session, { projectId, vmId })
}

async function waitFor(
  { id, noun, answers }: Command,
  session: Session,
  { params = {} }: Parts,
  answer: unknown,
  { timeout, for: status }: Arguments['common'],
): Promise<unknown> {
  const { awaitedOf, gone, settle } = await import('./settle.ts')
  const awaited = awaitedOf(id, noun, params, answer)
  const { projectId } = params
  if (!awaited || projectId === undefined) return answer
  const patience = { timeout, status: status ?? (answers === 'nothing' ? gone : undefined) }
  const { kind, ids } = awaited
  const settled = await Promise.all(ids.map((id) => settle(session, { kind, id, projectId }, patience)))
  return Array.isArray(answer) ? settled : (settled[0] ?? undefined)
}

const done = ({ noun, verb }: Command, places: Record<string, string>): string =>
  `Done: ${[noun, verb, ...Object.values(places)].join(' ')}`
