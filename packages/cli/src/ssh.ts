import { spawn } from 'node:child_process'
import type { Host, Project, Vm } from '@slipway/contract'
import { sshUserOf } from '@slipway/contract/ssh-gateway.rules.ts'
import { gatewayOf, type SshWay, sshWays } from '@slipway/contract/ssh-way.rules.ts'
import { vmCan } from '@slipway/contract/vm.rules.ts'
import { parseArguments } from './arguments.ts'
import { Failure } from './failure.ts'
import { pick } from './names.ts'
import { openSession } from './session.ts'
import { settingsOf } from './settings.ts'

/** The words of `slipway ssh`: the VM, options for ssh, and the command after `--`. */
export function partsOfSsh(words: readonly string[]): {
  vm: string
  project: string | undefined
  options: string[]
  command: string[]
} {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const before = [...words.slice(0, end)]
  const at = before.indexOf('--project')
  const [, project] = at === -1 ? [] : before.splice(at, 2)
  const [vm, ...options] = before
  if (vm === undefined || vm.startsWith('-'))
    throw new Failure('usage', 'Usage: slipway ssh VM [ssh options] [-- COMMAND]')
  return { vm, project, options, command: words.slice(end + 1) }
}

/** `slipway ssh VM [-- COMMAND]`: becomes the system's ssh. */
export async function ssh(words: readonly string[]): Promise<number> {
  const { vm, project, options, command } = partsOfSsh(words)
  const { user, host, port } = await wayTo(vm, project)
  return become('ssh', [
    ...options,
    '-p',
    String(port),
    `${user}@${host}`,
    ...(command.length > 0 ? ['--', ...command] : []),
  ])
}

/** A place of `slipway cp`: in a VM, or on this computer. */
export function placeOf(text: string): { vm: string; path: string } | null {
  // As scp has it: what has a slash before the colon is a file.
  const [, vm, path] = /^([^/:]+):(.*)$/s.exec(text) ?? []
  return vm === undefined ? null : { vm, path: path ?? '' }
}

/** `slipway cp FROM TO`: becomes the system's scp. */
export async function cp(words: readonly string[]): Promise<number> {
  const recursive = words.includes('-r')
  const { positions, common } = parseArguments(
    words.filter((word) => word !== '-r'),
    [],
  )
  const [from = '', to = ''] = positions
  const places = [from, to].map(placeOf)
  const remote = places.filter((place) => place !== null)
  const [place] = remote
  if (positions.length !== 2 || !place || remote.length !== 1)
    throw new Failure('usage', 'Usage: slipway cp [-r] FROM TO, where one of the two is VM:PATH')
  const { user, host, port } = await wayTo(place.vm, common.project)
  const address = host.includes(':') ? `[${host}]` : host
  const name = (text: string, i: number) => (places[i] ? `${user}@${address}:${place.path}` : fileOf(text))
  return become('scp', [...(recursive ? ['-r'] : []), '-P', String(port), '--', name(from, 0), name(to, 1)])
}

/** A file whose name has a colon is none of another host. */
const fileOf = (text: string) => (/^[./]/.test(text) ? text : `./${text}`)

async function wayTo(text: string, projectText: string | undefined): Promise<SshWay> {
  const session = openSession(settingsOf(projectText))
  const projectId = await session.projectId()
  // Lists of the contract, which the server has parsed by their schemas.
  const [vms, projects, host] = (await Promise.all([
    session.list('vm.list', { projectId }),
    session.list('project.list', {}),
    session.call('host.get'),
  ])) as unknown as [Vm[], Project[], Host]
  const id = pick(
    vms.map(({ id, name }) => ({ id, name })),
    text,
    'VM',
  )
  const vm = vms.find((one) => one.id === id)
  const project = projects.find((one) => one.id === projectId)
  if (!vm || !project) throw new Failure('notFound', `There is no VM "${text}".`)
  const consoleHost = new URL(session.server).hostname
  const gateway = gatewayOf(host, sshUserOf(vm, project, { vms, projects }), consoleHost)
  const [way] = sshWays(vm, gateway, { addresses: host.addresses, consoleHost })
  if (way) return way
  const verdict = vmCan.ssh(vm)
  throw new Failure('failed', verdict === true ? 'SSH by name is switched off on this server.' : verdict)
}

/** Hands the terminal to a program, and answers with its exit status. */
function become(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit' })
  // The terminal tells the child, who decides what it means.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', () =>
      reject(new Failure('failed', `${program} could not be started. Install OpenSSH's client.`)),
    )
    child.on('close', (code) => resolve(code ?? 255))
  })
}
