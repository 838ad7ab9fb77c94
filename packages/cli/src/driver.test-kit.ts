/** Commands that are looked at from both sides: what they print and end with, and what the server answered their calls with. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type EndpointId, routeOf } from '@slipway/contract/endpoint.ts'
import { routes } from '@slipway/contract/routes.ts'
import { expect } from 'vitest'
import type { Outcome } from './cli.test-kit.ts'
import { exitCodes } from './failure.ts'

const known = Object.keys(routes).map((id) => {
  // The keys of a constant.
  const { method, path } = routeOf(id as EndpointId)
  return { id, method, path: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`) }
})

const nameOf = (method: string, path: string) =>
  known.find((one) => one.method === method && one.path.test(path))?.id ?? `${method} ${path}`

/** Stands between one command and a server, and keeps the name and the status of each call. */
async function startRecorder(server: string) {
  const { hostname, port } = new URL(server)
  const calls: string[] = []
  const between = createServer((from, answer) => {
    const { method = '', url = '', headers } = from
    const to = request({ hostname, port, method, path: url, headers }, (answered) => {
      const { statusCode = 0 } = answered
      calls.push(`${nameOf(method, url.split('?')[0] ?? '')} ${statusCode}`)
      answer.writeHead(statusCode, answered.headers)
      answered.pipe(answer)
    })
    from.pipe(to)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => between.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    calls,
    stop() {
      between.closeAllConnections()
      between.close()
    },
  }
}

type Run = (args: readonly string[], env?: Record<string, string>) => Promise<Outcome>

/** Words are parted by spaces; `''` is an empty one. */
export const wordsOf = (command: string): string[] =>
  command.split(' ').map((word) => (word === "''" ? '' : word))

const exitOfStatus: Record<string, number> = {
  401: exitCodes.notAllowed,
  403: exitCodes.notAllowed,
  404: exitCodes.notFound,
}

/** Runs commands with an environment; `SLIPWAY_SERVER` in it names the server. */
export function makeDriver(runCommand: Run, env: { SLIPWAY_SERVER: string } & Record<string, string>) {
  /** Every call that a command made, as `vm.create 201`. */
  const seen = new Set<string>()

  /** Runs a command; with the last of its calls. */
  async function run(args: readonly string[], more: Record<string, string> = {}) {
    const recorder = await startRecorder(env.SLIPWAY_SERVER)
    const outcome = await runCommand(args, { ...env, ...more, SLIPWAY_SERVER: recorder.url })
    recorder.stop()
    for (const call of recorder.calls) seen.add(call)
    return { ...outcome, answered: recorder.calls.at(-1) }
  }

  /** Runs what has to succeed; what it printed. */
  async function ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stderr }, args.join(' ')).toEqual({ code: exitCodes.done, stderr: '' })
    return stdout
  }

  const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await ok(...args, '--json'))

  /**
   * Runs what the server has to refuse: `answered` is the call with its status, which the exit code follows from, and each
   * command comes with what it says. None of them changes anything, so they are tried at the same time.
   */
  function refusedWith(more: Record<string, string>) {
    return async (answered: string, ...refusals: readonly (readonly [string, string])[]): Promise<void> => {
      const code = exitOfStatus[answered.split(' ')[1] ?? ''] ?? exitCodes.failed
      await Promise.all(
        refusals.map(async ([command, sentence]) => {
          const { stderr, ...rest } = await run(wordsOf(command), more)
          const expected = { stdout: '', code, answered, says: sentence }
          expect({ ...rest, says: stderr.split('\n')[0] }, command).toEqual(expected)
        }),
      )
    }
  }

  return { run, ok, json, refusedWith, refused: refusedWith({}), seen }
}
