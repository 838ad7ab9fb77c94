/** Output for people. */
import { columnsOf, hasColumns } from './columns.ts'

type Row = Record<string, unknown>

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const areRows = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow)

const time = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):\d{2}(\.\d+)?Z$/
/** What others typed must not move the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
const control = /[\u0000-\u001f\u007f-\u009f]+/g

/** One value on one line. */
export function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(Number.isInteger(value) ? value : Number(value.toFixed(2)))
  if (typeof value === 'string') return value.replace(time, '$1 $2').replace(control, ' ')
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(inner).join(', ')
  return inner(value)
}

/** An object inside a cell: its name, where it has one. */
const inner = (value: unknown): string =>
  isRow(value)
    ? typeof value.name === 'string'
      ? cell(value.name)
      : Object.entries(value)
          .map(([key, one]) => `${key}=${cell(one)}`)
          .join(' ')
    : cell(value)

/** Rows below headings, with just enough room for each column. */
export function table(rows: readonly Row[], columns: readonly string[]): string {
  const lines = [columns.map(heading), ...rows.map((row) => columns.map((column) => cell(row[column])))]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => [...(line[i] ?? '')].length)))
  return lines
    .map((line) => line.map((text, i) => text + ' '.repeat((widths[i] ?? 0) - [...text].length)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

const heading = (column: string) =>
  column
    .replace(/_(name|at)$/, '')
    .replaceAll('_', ' ')
    .toUpperCase()

/** An object, a field a line; lists of objects below, each as a table. */
function details(row: Row): string {
  const entries = Object.entries(row).map(([key, value]): [string, unknown] => [key, rowsIn(value) ?? value])
  const nested = entries.filter((entry): entry is [string, Row[]] => areRows(entry[1]))
  const plain = entries.filter(([, value]) => !areRows(value))
  const wide = Math.max(0, ...plain.map(([key]) => key.length))
  return [
    plain.map(([key, value]) => `${key.padEnd(wide)}  ${cell(value)}`).join('\n'),
    ...nested.map(([key, rows]) => `${heading(key)}\n${indented(table(rows, columnsOf(kindIn(key), rows)))}`),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** What the rows of a field are: `vms` has those of a `vm`. */
const kindIn = (key: string) => (key.endsWith('s') ? key.slice(0, -1) : '')

/** Objects by their names are rows as well. */
const rowsIn = (value: unknown): Row[] | null =>
  isRow(value) && Object.values(value).length > 1 && Object.values(value).every(isRow)
    ? Object.entries(value).map(([name, one]) => ({ name, ...Object(one) }))
    : null

const indented = (text: string) => text.replace(/^/gm, '  ')

/**
 * The answer of a call as text for people. `noun` chooses the columns of a list; `brief`, for what was changed, makes one of a single
 * object as well.
 */
export function shown(answer: unknown, noun: string, brief = false): string {
  if (Array.isArray(answer) && answer.length === 0) return 'None.'
  if (areRows(answer)) return table(answer, columnsOf(noun, answer))
  if (brief && isRow(answer) && hasColumns(noun)) return table([answer], columnsOf(noun, [answer]))
  return isRow(answer) ? details(answer) : cell(answer)
}
