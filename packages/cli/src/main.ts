import { parseArguments } from './arguments.ts'
import { type Command, readCommands } from './commands.ts'
import { exitCodes, Failure } from './failure.ts'
import { note, print } from './output.ts'

/** Runs a command; the exit code. Parts that only some commands need are loaded by those. */
async function run([noun = '', ...rest]: readonly string[]): Promise<number> {
  switch (noun) {
    case 'login':
      await (await import('./login.ts')).login(rest)
      return exitCodes.done
    case 'logout':
      ;(await import('./login.ts')).logout()
      return exitCodes.done
    case 'use':
      await (await import('./login.ts')).use(rest)
      return exitCodes.done
    case 'ssh':
      return (await import('./ssh.ts')).ssh(rest)
    case 'cp':
      return (await import('./ssh.ts')).cp(rest)
    case 'console':
      return call(['vm', 'console', ...rest])
    case 'export':
      await (await import('./project-file/commands.ts')).exportProject(rest)
      return exitCodes.done
    case 'plan':
      await (await import('./project-file/commands.ts')).planFile(rest)
      return exitCodes.done
    case 'apply':
      await (await import('./project-file/commands.ts')).applyFile(rest)
      return exitCodes.done
    case 'disk':
    case 'disk-snapshot':
      if (noun === 'disk' && rest[0] === 'upload') {
        await (await import('./disk-files.ts')).uploadDisk(rest.slice(1))
        return exitCodes.done
      }
      if (rest[0] === 'download' && (await import('./disk-files.ts')).namesFile(rest.slice(1))) {
        await (await import('./disk-files.ts')).downloadDisk(noun, rest.slice(1))
        return exitCodes.done
      }
      return call([noun, ...rest])
    case 'completion':
      ;(await import('./completion.ts')).printCompletion(rest)
      return exitCodes.done
    case '__complete':
      await (await import('./completion.ts')).complete(rest.slice(1))
      return exitCodes.done
    default:
      return call([noun, ...rest])
  }
}

async function call([noun = '', verb = '', ...words]: readonly string[]): Promise<number> {
  const commands = readCommands()
  if (['', 'help', '--help', '-h'].includes(noun)) return help(commands, [verb, ...words])
  const own = commands.filter((one) => one.noun === noun)
  if (own.length === 0)
    throw new Failure('usage', `Unknown command: "${noun}". \`slipway help\` lists all commands.`)
  if (['', 'help', '--help', '-h'].includes(verb)) return help(commands, [noun, ...words])
  const command = own.find((one) => one.verb === verb)
  if (command) await (await import('./run.ts')).runCommand(command, words)
  else if (verb === 'wait') await wait(noun, words)
  else
    throw new Failure(
      'usage',
      `Unknown command: "${noun} ${verb}". \`slipway ${noun} --help\` lists what there is.`,
    )
  return exitCodes.done
}

async function help(
  commands: readonly Command[],
  [noun = '', verb = '']: readonly string[],
): Promise<number> {
  const { helpOfCommand, helpOfNoun, overview } = await import('./help.ts')
  const own = commands.filter((one) => one.noun === noun)
  const command = own.find((one) => one.verb === verb)
  print(command ? helpOfCommand(command) : own.length > 0 ? helpOfNoun(noun, own) : overview(commands))
  return exitCodes.done
}

/** They have no status: what counts is what came of each of their items. */
const batches = { list: 'batch.list' } as const

/** `slipway vm wait NAME --for STATUS` */
async function wait(noun: string, words: readonly string[]): Promise<void> {
  const { kinds, settle } = await import('./settle.ts')
  const kind = noun === 'batch' ? batches : kinds[noun]
  if (!kind) throw new Failure('usage', `A ${noun} has no status to wait for.`)
  const { positions, common } = parseArguments(words, [])
  const [text] = positions
  if (text === undefined || positions.length > 1 || common.help)
    throw new Failure(
      'usage',
      kind === batches
        ? 'Usage: slipway batch wait BATCH [--timeout SECONDS]'
        : `Usage: slipway ${noun} wait NAME [--for STATUS] [--timeout SECONDS]`,
    )
  const { openSession, isId } = await import('./session.ts')
  const { settingsOf } = await import('./settings.ts')
  const { pick } = await import('./names.ts')
  const session = openSession(settingsOf(common.project))
  const projectId = await session.projectId()
  const id = isId(text)
    ? text
    : pick(await session.list(kind.list, { projectId }), text, noun.replace('-', ' '))
  if (kind === batches)
    return (await import('./batch-wait.ts')).awaitBatch(session, { projectId, batchId: id }, common)
  const settled = await settle(
    session,
    { kind: noun, id, projectId },
    { status: common.for, timeout: common.timeout },
  )
  if (common.json) print(JSON.stringify(settled))
  else print((await import('./table.ts')).shown(settled ?? 'Deleted.', noun, true))
}

// `slipway vm list | head` is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Failure)) throw error
  note(error.message)
  process.exitCode = exitCodes[error.exit]
}
