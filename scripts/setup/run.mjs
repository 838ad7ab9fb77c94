import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { secondsOfEnded } from './processor.mjs'
import { inTree, root } from './tree.mjs'

/** Ends a script with a sentence for a person in place of a stack trace. */
export class Stop extends Error {}

/** Says what happens now, in one line. */
export const say = (line) => console.log(line)

/** The environment of our child processes: the tools of node_modules, Node 24 among them, come first. */
export function environment(extra = {}) {
  return { ...process.env, ...extra, PATH: [inTree('node_modules/.bin'), process.env.PATH].join(delimiter) }
}

let secondsBefore = secondsOfEnded()

/** The kernel adds up what a child took when that has ended, so the difference is of the one that did. */
function sinceLastEnd() {
  const before = secondsBefore
  secondsBefore = secondsOfEnded()
  return secondsBefore - before
}

/**
 * Runs a command in the repository and resolves with its exit code (128 and the signal's number when a signal
 * ended it, 127 when it could not be started). With `quiet` its output is kept and returned instead of shown; with a
 * `label` each line of it is shown behind that, so that commands that run side by side can be told apart. `processor`
 * is how many seconds of a processor it took, with all that it began and waited for.
 */
export function run(command, args, { env = {}, quiet = false, label } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: environment(env),
      stdio: quiet || label ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    })
    let output = ''
    const keep = (chunk) => {
      output += chunk
    }
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      if (label) createInterface(stream).on('line', (line) => say(`${label} | ${line}`))
      else stream.setEncoding('utf8').on('data', keep)
    }
    passSignals(child)
    let processor = 0
    child.on('exit', () => {
      processor = sinceLastEnd()
    })
    child.on('error', (error) => resolve({ code: 127, output: error.message, processor }))
    child.on('close', (code, signal) => resolve({ code: exitCode(code, signal), output, processor }))
  })
}

/**
 * Replaces this process by a program, so that who manages this process manages the program. Where Node cannot do that
 * (before 22.15), the program runs as a child, and the kernel kills it when this process ends however it does.
 */
export async function become(program, args, { env = {} } = {}) {
  if (process.execve) {
    process.chdir(root)
    process.execve(program, [program, ...args], environment(env))
  }
  const tied = hasCommand('setpriv')
    ? ['setpriv', '--pdeathsig', 'KILL', program, ...args]
    : [program, ...args]
  process.exit((await run(tied[0], tied.slice(1), { env })).code)
}

/** Looks where root would look too: /usr/sbin is not on the path of every user. */
export function hasCommand(command) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return (isAbsolute(command) ? [command] : folders.map((folder) => join(folder, command))).some((file) => {
    try {
      accessSync(file, isAbsolute(command) ? constants.F_OK : constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Runs a script's main function; a Stop becomes its sentence and exit code 1. */
export async function main(work) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }

const exitCode = (code, signal) => code ?? 128 + (signals[signal] ?? 9)

/** Passes on what we are told, and stays until the child has ended. */
function passSignals(child) {
  const handlers = Object.keys(signals).map((signal) => {
    const pass = () => {
      // A terminal sends Ctrl-C to the child as well; twice would look like impatience.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    process.on(signal, pass)
    return () => process.off(signal, pass)
  })
  child.on('close', () => {
    for (const remove of handlers) remove()
  })
}
