import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { isLoopback } from '@slipway/contract/ssh-gateway.rules.ts'
import { parseArguments } from './arguments.ts'
import { Failure } from './failure.ts'
import { labelsOf, pick } from './names.ts'
import { note, print } from './output.ts'
import { noProject, openSession } from './session.ts'
import {
  forget,
  keep,
  readKept,
  serverOfEnvironment,
  serverUrl,
  settingsFile,
  settingsOf,
  tokenOfEnvironment,
} from './settings.ts'

/** `slipway login --server URL` */
export async function login(words: readonly string[]): Promise<void> {
  const { positions, common } = parseArguments(words, [])
  const text = common.server ?? positions[0] ?? serverOfEnvironment ?? readKept()?.server
  if (text === undefined) throw new Failure('usage', 'Usage: slipway login --server URL')
  const server = serverUrl(text)
  const { protocol, hostname } = new URL(server)
  if (protocol === 'http:' && !isLoopback(hostname))
    note(`Warning: ${server} is not encrypted. Others on the network can read the token.`)
  const token = (tokenOfEnvironment ?? (await askForToken(server))).trim()
  if (token === '') throw new Failure('usage', 'No token was given.')
  const session = openSession({ server, token, project: undefined })
  const { email } = Object(await session.call('account.me'))
  if (typeof email !== 'string')
    throw new Failure('failed', `${server} does not answer as Slipway does. Check the URL.`)
  const projects = await session.list('project.list', {})
  const [only] = projects
  const project =
    projects.length === 1 && only ? { id: only.id, name: labelsOf(only)[0] ?? only.id } : undefined
  keep({ server, token, ...(project && { project }) })
  print(`Signed in to ${server} as ${email}.`)
  print(
    project
      ? `Selected project ${project.name}.`
      : projects.length === 0
        ? noProject
        : 'Select a project with `slipway use PROJECT`.',
  )
}

/** Reads a line without showing it; all of standard input where that is no terminal. */
async function askForToken(server: string): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) {
    let text = ''
    for await (const piece of stdin.setEncoding('utf8')) text += piece
    return text
  }
  note(`Create an API token at ${server}/account and paste it here. It is not shown.`)
  // Readline echoes to its output, which is nowhere, and keeps the terminal from doing so: before anything is asked for.
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true })
  stderr.write('Token: ')
  try {
    return await lines.question('')
  } catch {
    throw new Failure('failed', 'Sign-in was cancelled.')
  } finally {
    lines.close()
    stderr.write('\n')
  }
}

/** `slipway logout` */
export function logout(): void {
  const kept = readKept()
  forget()
  print(
    kept
      ? `Removed the token for ${kept.server} from this computer. Revoke it in the console if nobody else uses it.`
      : `There was no token in ${settingsFile}.`,
  )
}

/** `slipway use PROJECT` */
export async function use(words: readonly string[]): Promise<void> {
  const { positions } = parseArguments(words, [])
  const [text] = positions
  if (text === undefined || positions.length > 1) throw new Failure('usage', 'Usage: slipway use PROJECT')
  const kept = readKept()
  if (!kept) throw new Failure('notAllowed', 'Not signed in. Run `slipway login --server URL`.')
  const settings = settingsOf(text)
  if (settings.server !== kept.server)
    throw new Failure('usage', 'SLIPWAY_SERVER names another server. Use SLIPWAY_PROJECT with it.')
  const projects = await openSession(settings).list('project.list', {})
  const id = pick(projects, text, 'project')
  const project = projects.find((one) => one.id === id)
  const name = project ? (labelsOf(project)[0] ?? id) : id
  keep({ ...kept, project: { id, name } })
  print(`Selected project ${name}.`)
}
