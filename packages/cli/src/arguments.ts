import type { Flag } from './commands.ts'
import { Failure } from './failure.ts'
import { isSwitch, readValue, saysTruth } from './values.ts'

/** Flags that every command takes. */
export interface CommonFlags {
  json?: boolean
  help?: boolean
  wait?: boolean
  timeout?: number
  for?: string
  project?: string
  server?: string
}

const commonFlags: readonly Flag[] = [
  ...['json', 'help', 'wait'].map((name) => flag(name, 'boolean')),
  flag('timeout', 'number'),
  ...['for', 'project', 'server'].map((name) => flag(name, 'string')),
]

/** Their names, for completion and for the test that no call has one of them. */
export const commonFlagNames = commonFlags.map(({ name }) => name)

function flag(name: string, type: string): Flag {
  return { name, where: 'query', required: false, schema: { type } }
}

export interface Arguments {
  positions: string[]
  /** What was given for the flags of the command itself, by their names. */
  values: Map<string, unknown>
  common: CommonFlags
}

/**
 * Takes the words of a command apart. Flags are `--name value` or `--name=value`, with hyphens or underscores; `_id` at their end may
 * be left out; `--no-name` switches off. After `--` nothing is a flag.
 */
export function parseArguments(words: readonly string[], flags: readonly Flag[]): Arguments {
  const positions: string[] = []
  const values = new Map<string, unknown>()
  const common: Record<string, unknown> = {}
  const known = [...commonFlags, ...flags]
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--') {
      positions.push(...words.slice(i + 1))
      break
    }
    if (word === '-h') {
      common.help = true
      continue
    }
    if (!word.startsWith('-') || word === '-') {
      positions.push(word)
      continue
    }
    const [, typed = '', assigned] = word.match(/^--?([^=]*)(?:=(.*))?$/s) ?? []
    const { flag, negated } = find(typed, known, word)
    const { name, schema } = flag
    const given = assigned ?? (saysTruth(schema) && !negated ? truthAt(words, i + 1) : undefined)
    if (given !== assigned) i++
    let value: unknown
    if (isSwitch(schema) && given === undefined) value = readValue(flag, String(!negated))
    else {
      const text = given ?? words[++i]
      if (text === undefined) throw new Failure('usage', `--${name} needs a value.`)
      value = readValue(flag, text)
    }
    if (commonFlags.includes(flag)) common[name] = value
    else {
      const before = values.get(name)
      // A list may be given a piece at a time.
      const isMore = Array.isArray(value) && Array.isArray(before)
      values.set(name, isMore ? before.concat(value) : value)
    }
  }
  // Each was read by the type that its entry in commonFlags names.
  return { positions, values, common: common as CommonFlags }
}

const truthAt = (words: readonly string[], i: number): string | undefined =>
  ['true', 'false'].find((word) => word === words[i])

function find(typed: string, known: readonly Flag[], word: string): { flag: Flag; negated: boolean } {
  const name = typed.replaceAll('-', '_')
  const named = (wanted: string) =>
    known.find((one) => one.name === wanted) ?? known.find((one) => one.name === `${wanted}_id`)
  const flag = named(name)
  if (flag) return { flag, negated: false }
  const opposite = name.startsWith('no_') ? named(name.slice(3)) : undefined
  if (opposite && isSwitch(opposite.schema)) return { flag: opposite, negated: true }
  throw new Failure('usage', `Unknown flag: ${word.split('=')[0]}`)
}
