/** The command line as people run it: a process of its own, against a server of its own. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Call, makeClient } from '@slipway/client'
import { newPublicKey } from '@slipway/e2e/person'
import { type Server, startServer } from '@slipway/e2e/server'
import { expect } from 'vitest'
import { exitCodes } from './failure.ts'

const program = fileURLToPath(new URL('../bin/slipway.mjs', import.meta.url))

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** Commands that have to succeed, with what they printed. */
export function succeeding(run: (args: readonly string[]) => Promise<Outcome>) {
  async function ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(args)
    // That start scripts are left out is told, too.
    const said = stderr.replace(/^Start scripts .*\n/, '')
    expect({ code, said }, args.join(' ')).toEqual({ code: exitCodes.done, said: '' })
    return stdout
  }
  return { ok, json: async <T>(...args: string[]): Promise<T> => JSON.parse(await ok(...args, '--json')) }
}

/** Starts the command line, in a terminal if that is asked for; the environment has nothing but what is given. */
function start(args: readonly string[], env: Record<string, string>, inTerminal: boolean) {
  const words = [process.execPath, program, ...args]
  const [command = '', ...rest] = inTerminal ? ['script', '-qec', words.join(' '), '/dev/null'] : words
  const child = spawn(command, rest, { env: { PATH: process.env.PATH, ...env } })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Outcome>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  )
  return { child, ended, output: () => stdout }
}

/** A signed-in user of a server, as the console would be. */
export async function newPerson(server: Server): Promise<{ email: string; call: Call }> {
  let cookie = ''
  const { call } = makeClient({
    base: server.url,
    timeoutMs: 30_000,
    request: () => ({ headers: { cookie } }),
    onAnswer(_, { headers }) {
      const set = headers.get('set-cookie')
      if (set) cookie = set.split(';')[0] ?? ''
    },
  })
  const email = `ada-${randomUUID()}@example.com`
  const password = 'Analytical-Engine-1843'
  await call('account.signUp', { body: { name: 'Ada Lovelace', email, password } })
  const link = await server.mailedLink(email, 'verify-email')
  await call('account.verifyEmail', { body: { token: link.split('token=')[1] ?? '' } })
  await call('account.signIn', { body: { email, password } })
  return { email, call }
}

/** A server with somebody who has an SSH key and a token, and a home for what the command line keeps. */
export async function startWorld(settings: Record<string, string> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'slipway-cli-'))
  const server = await startServer({ SLIPWAY_SIMULATED_SPEED: '10', ...settings })
  const person = await newPerson(server)
  const newToken = async (access: 'read' | 'write') => {
    const body = { name: access, access, project_ids: null }
    return (await person.call('apiToken.create', { body })).token
  }
  await person.call('sshKey.create', { body: { key_name: 'laptop', ssh_public_key: newPublicKey() } })
  const token = await newToken('write')
  return {
    /** What signs a command in without anything kept. */
    env: { SLIPWAY_SERVER: server.url, SLIPWAY_TOKEN: token },
    server,
    person,
    home,
    token,
    newToken,
    /** Starts a command as somebody with this home. */
    start: (args: readonly string[], env: Record<string, string> = {}, inTerminal = false) =>
      start(args, { XDG_CONFIG_HOME: home, ...env }, inTerminal),
    /** Runs a command to its end. */
    run(args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Outcome> {
      const { child, ended } = this.start(args, env)
      child.stdin.end(input)
      return ended
    },
    async stop() {
      await server.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
