/** A guest made of ssh2 and the machine's own shell, and OpenSSH's programs as they are started against the gateway. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import ssh2, { type Connection, type ServerChannel } from 'ssh2'
import { run } from '../lib/command.ts'
import type { Gateway } from './gateway.thread.ts'
import { makePrivateKey } from './wire/keys.ts'

const { Server, utils } = ssh2

/** SSH by name that nobody calls, for what only has to know that there is one. */
export const quietGateway: Gateway = {
  host: null,
  port: 2022,
  localOnly: true,
  fingerprint: 'SHA256:quiet',
  publicKey: 'ssh-ed25519 quiet slipway-gateway',
  serve() {},
  cut() {},
  close: async () => {},
}

/** A private key in a file of its own. */
export async function newKey(dir: string, name: string, ...type: string[]) {
  const file = path.join(dir, name)
  const kind = type.length > 0 ? type : ['-t', 'ed25519']
  await run('ssh-keygen', ['-q', '-N', '', '-C', name, '-f', file, ...kind])
  return { file, publicKey: (await readFile(`${file}.pub`, 'utf8')).trim() }
}

export interface Outcome {
  code: number | null
  stdout: Buffer
  stderr: string
}

/** Options for OpenSSH's programs: one key, and nothing of this machine's settings. */
export const optionsFor = (key: string): string[] => [
  '-F',
  '/dev/null',
  ...[
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    `IdentityFile=${key}`,
    'IdentityAgent=none',
    'UserKnownHostsFile=/dev/null',
    'GlobalKnownHostsFile=/dev/null',
    'StrictHostKeyChecking=accept-new',
    'ConnectTimeout=20',
  ].flatMap((option) => ['-o', option]),
]

/** Starts a program, one of OpenSSH's most likely. */
export function open(program: string, args: string[]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const stdout: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += String(chunk)
  })
  child.stdin.on('error', () => {})
  const ended = once(child, 'close').then(
    ([code]): Outcome => ({
      code: typeof code === 'number' ? code : null,
      stdout: Buffer.concat(stdout),
      stderr,
    }),
  )
  return { child, ended, stdout: () => Buffer.concat(stdout).toString(), stderr: () => stderr }
}

/** Runs one of OpenSSH's programs to its end. */
export async function runClient(
  program: string,
  args: string[],
  input: Buffer | string = '',
): Promise<Outcome> {
  const { child, ended } = open(program, args)
  child.stdin.end(input)
  return ended
}

export interface GuestLog {
  /** What was asked of it, one word each. */
  asked: string[]
  connections: number
}

/**
 * A guest that runs commands in the shell of this machine. It lets in one key. `sessions` is how many it has at once
 * before it refuses more.
 */
export async function startGuest(publicKey: string, { sessions = 10 } = {}) {
  const allowed = utils.parseKey(publicKey)
  if (allowed instanceof Error) throw allowed
  const seen: GuestLog = { asked: [], connections: 0 }
  const connections = new Set<Connection>()
  const server = new Server({ hostKeys: [makePrivateKey('guest')] }, (connection) => {
    let open = 0
    seen.connections += 1
    connections.add(connection)
    connection.on('close', () => connections.delete(connection))
    connection.on('error', () => {})
    connection.on('authentication', (context) => {
      const fits =
        context.method === 'publickey' &&
        context.username === 'root' &&
        context.key.data.equals(allowed.getPublicSSH())
      if (fits) context.accept()
      else context.reject(['publickey'])
    })
    connection.on('session', (accept, reject) => {
      if (open >= sessions) return reject()
      open += 1
      const session = accept()
      session.on('close', () => {
        open -= 1
      })
      let child: ChildProcess | null = null
      let env: Record<string, string> = {}
      session.on('pty', (ok, _, info) => {
        seen.asked.push(`pty ${info.term} ${info.cols}x${info.rows}`)
        ok?.()
      })
      session.on('env', (ok, _, { key, val }) => {
        env = { ...env, [key]: val }
        ok?.()
      })
      session.on('window-change', (_ok, _, info) => void seen.asked.push(`window ${info.cols}x${info.rows}`))
      session.on('signal', (_ok, _, { name }) => {
        seen.asked.push(`signal ${name}`)
        child?.kill(`SIG${name}` as NodeJS.Signals)
      })
      session.on('exec', (ok, _, { command }) => {
        child = serve(ok(), ['-c', command], env)
      })
      session.on('shell', (ok) => {
        child = serve(ok(), ['-s'], env)
      })
    })
    connection.on('tcpip', (accept, reject, { destIP, destPort }) => {
      seen.asked.push(`tunnel ${destIP}:${destPort}`)
      const socket = connect({ host: destIP, port: destPort })
      socket.once('error', () => reject())
      socket.once('connect', () => {
        const channel = accept()
        channel.on('error', () => {})
        channel.pipe(socket).pipe(channel)
      })
    })
  })
  const listener = createServer({ noDelay: true }, (socket) => server.injectSocket(socket))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('the guest does not listen')
  return {
    port: address.port,
    seen,
    /** Ends every connection, as a guest that powers off does. */
    hangUp() {
      for (const connection of connections) connection.end()
    },
    close() {
      for (const connection of connections) connection.end()
      listener.close()
    },
  }
}

function serve(channel: ServerChannel, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn('sh', args, { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' })
  channel.pipe(child.stdin)
  child.stdin.on('error', () => {})
  child.stdout.pipe(channel, { end: false })
  child.stderr.pipe(channel.stderr, { end: false })
  child.on('close', (code, signal) => {
    if (signal) channel.exit(signal.slice(3))
    else channel.exit(code ?? 0)
    channel.end()
  })
  channel.on('close', () => {
    child.kill()
    // What the shell has started goes on while somebody reads what it says.
    child.stdout.destroy()
    child.stderr.destroy()
  })
  return child
}
