/**
 * The chart of deploy/chart as objects, without Helm, so that its essentials are tested wherever the tests run. It
 * reads the small part of Helm's language that the templates keep to (`if`, `else`, `range`, pipes and the functions
 * below) and throws at anything else; a test compares it with `helm template` where Helm is installed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { z } from 'zod'
import type { KubeObject } from '../engine/kubevirt/kube/objects.ts'

export const chartDir = path.join(import.meta.dirname, '../../../../deploy/chart')
export const textOf = (name: string): string => readFileSync(path.join(chartDir, name), 'utf8')

/** The least that has to be set, as in docs/kubevirt.md. */
export const leastValues = {
  image: { repository: 'registry.example.com/slipway' },
  publicUrl: 'https://vms.example.com',
}

export interface Release {
  name?: string
  namespace?: string
}

export interface Rendered extends KubeObject {
  apiVersion: string
  kind: string
  [more: string]: unknown
}

/** What the chart makes of these values, laid over its defaults. Throws when values.schema.json does not allow them. */
export function renderChart(values: object, { name = 'slipway', namespace = 'slipway' }: Release = {}) {
  const all = laidOver(parse(textOf('values.yaml')), values)
  z.fromJSONSchema(JSON.parse(textOf('values.schema.json'))).parse(all)
  const context = {
    Values: all,
    Chart: { AppVersion: parse(textOf('Chart.yaml')).appVersion },
    Release: { Name: name, Namespace: namespace },
  }
  return readdirSync(path.join(chartDir, 'templates'))
    .sort()
    .flatMap((file) => documentsOf(render(textOf(`templates/${file}`), context)))
}

/** The objects of a text with several documents; empty ones are none. */
export const documentsOf = (text: string): Rendered[] =>
  parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors
    if (error) throw error
    const object: Rendered | null = document.toJS()
    return object === null ? [] : [object]
  })

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const laidOver = (under: unknown, over: unknown): unknown =>
  isMap(under) && isMap(over)
    ? { ...under, ...Object.fromEntries(Object.entries(over).map(([k, v]) => [k, laidOver(under[k], v)])) }
    : over

type Scope = { root: object; variables: Record<string, unknown> }
type Part = { text: string } | { value: string } | { head: string; then: Part[]; otherwise: Part[] }

function render(text: string, root: object): string {
  const pieces = text.split(/\{\{(-?)\s*(.*?)\s*(-?)\}\}/s)
  const tokens: Part[] = []
  for (let i = 0; i < pieces.length; i += 4) {
    let plain = pieces[i] ?? ''
    if (pieces[i - 1] === '-') plain = plain.trimStart()
    if (pieces[i + 1] === '-') plain = plain.trimEnd()
    tokens.push({ text: plain })
    const action = pieces[i + 2]
    if (action !== undefined) tokens.push({ value: action })
  }
  const parts = blockOf(tokens, null)
  return written(parts, { root, variables: {} })
}

/** Takes tokens from the front until the `end` (or `else`) of the block that `head` opened. */
function blockOf(tokens: Part[], head: string | null): Part[] {
  const parts: Part[] = []
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if (!('value' in token)) parts.push(token)
    else if (/^(end|else)$/.test(token.value) && head !== null) {
      if (token.value === 'else') tokens.unshift({ value: 'else' })
      return parts
    } else if (/^(if|range) /.test(token.value)) {
      const then = blockOf(tokens, token.value)
      const next = tokens[0]
      const hasElse = next !== undefined && 'value' in next && next.value === 'else'
      if (hasElse) tokens.shift()
      parts.push({ head: token.value, then, otherwise: hasElse ? blockOf(tokens, token.value) : [] })
    } else parts.push(token)
  }
  if (head !== null) throw new Error(`"${head}" has no end`)
  return parts
}

const written = (parts: Part[], scope: Scope): string =>
  parts
    .map((part) => {
      if ('text' in part) return part.text
      if ('value' in part) return asText(resultOf(part.value, scope))
      const loop = /^range \$(\w+), \$(\w+) := (.+)$/.exec(part.head)
      if (!loop)
        return written(isTrue(resultOf(part.head.slice(3), scope)) ? part.then : part.otherwise, scope)
      const [, key = '', value = '', over = ''] = loop
      return Object.entries(resultOf(over, scope) as object)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([k, v]) =>
          written(part.then, { ...scope, variables: { ...scope.variables, [key]: k, [value]: v } }),
        )
        .join('')
    })
    .join('')

const asText = (value: unknown): string => {
  if (isMap(value) || Array.isArray(value)) throw new Error('A map or list is written without toYaml')
  return value === undefined || value === null ? '' : String(value)
}

const isTrue = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isMap(value) ? Object.keys(value).length > 0 : Boolean(value)

const functions: Record<string, (...args: unknown[]) => unknown> = {
  quote: (value) => JSON.stringify(asText(value)),
  toYaml: (value) => stringify(value).trimEnd(),
  nindent: (by, text) => `\n${String(text).replace(/^/gm, ' '.repeat(Number(by)))}`,
  default: (otherwise, value) => (isTrue(value) ? value : otherwise),
  join: (by, list) => (list as unknown[]).join(String(by)),
  required(sentence, value) {
    if (value === undefined || value === null || value === '') throw new Error(String(sentence))
    return value
  },
  ne: (a, b) => a !== b,
}

/** A pipe: each of its parts gets what came out of the one before as its last argument. */
function resultOf(pipe: string, scope: Scope): unknown {
  let value: unknown
  for (const [i, command] of pipe.split(/\s*\|\s*/).entries()) {
    const [first = '', ...rest] = command.match(/"[^"]*"|\S+/g) ?? []
    const call = functions[first]
    if (!call && (i > 0 || rest.length > 0)) throw new Error(`The templates do without "${command}"`)
    const args = rest.map((word) => wordOf(word, scope))
    value = call ? call(...args, ...(i > 0 ? [value] : [])) : wordOf(first, scope)
  }
  return value
}

function wordOf(word: string, { root, variables }: Scope): unknown {
  if (/^("|\d)/.test(word)) return JSON.parse(word)
  if (/^\$\w+$/.test(word)) return variables[word.slice(1)]
  if (!/^(\.\w+)+$/.test(word)) throw new Error(`The templates do without "${word}"`)
  return word
    .slice(1)
    .split('.')
    .reduce<unknown>((at, name) => {
      if (!isMap(at) || !(name in at))
        throw new Error(`Nothing is called ${word}; values.yaml names all values`)
      return at[name]
    }, root)
}
