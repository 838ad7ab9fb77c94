import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { filesUnder } from '../setup/tree.mjs'

/**
 * `later` tells what a row, or the rest of it, waits for; null when its tests hold all of it.
 * @typedef {{ id: string, later: string | null }} Row
 */

/**
 * Reads every table of docs/catalogue and looks for the tests it names.
 * @param {string} root the repository
 * @returns {{ rows: Row[], faults: string[] }} faults read `file: row: what, what to do`
 */
export function readCatalogue(root) {
  const titlesOf = titleReader(root)
  const rows = []
  const faults = []
  for (const path of filesUnder(join(root, 'docs/catalogue'))) {
    const file = relative(root, path)
    for (const { id, tests, later, strange } of readTable(readFileSync(path, 'utf8'))) {
      const fault = (text) => faults.push(`${file}: ${id}: ${text}`)
      rows.push({ id, later })
      for (const text of strange) fault(`"${text}" is neither a \`file\`: title nor a later: reason`)
      if (tests.length === 0 && !later && strange.length === 0)
        fault('names no test; add one or say later: why')
      for (const { testFile, title } of tests) {
        const titles = titlesOf(testFile)
        if (!titles) fault(`there is no file ${testFile}`)
        else if (!titles.has(title)) fault(`${testFile} has no test titled "${title}"`)
      }
    }
  }
  return { rows, faults: [...faults, ...numbering(rows)] }
}

function readTable(text) {
  return text.split('\n').flatMap((line) => {
    const [, id, where] = line.match(/^\| ([A-Z]+-\d{3}) \|.* \|\s*(.*?)\s*\|$/) ?? []
    if (!id) return []
    const tests = []
    const strange = []
    let later = null
    for (const part of where.split('<br>').map((one) => one.trim())) {
      const [, testFile, title] = part.match(/^`([^`]+)`: (.+)$/) ?? []
      const [, reason] = part.match(/^later: (.+)$/) ?? []
      if (testFile) tests.push({ testFile, title })
      else if (reason) later = reason
      else if (part) strange.push(part)
    }
    return [{ id, tests, later, strange }]
  })
}

/** Each area counts from 001 without gaps, and no row stands twice. */
function numbering(rows) {
  const next = new Map()
  return rows.flatMap(({ id }) => {
    const [area, number] = id.split('-')
    const expected = next.get(area) ?? 1
    next.set(area, Number(number) + 1)
    return Number(number) === expected
      ? []
      : [`${id}: stands where ${area}-${String(expected).padStart(3, '0')} should`]
  })
}

/** The titles of the tests in a file, or null without the file; each file is read once. */
function titleReader(root) {
  const known = new Map()
  return (file) => {
    if (!known.has(file)) known.set(file, existsSync(join(root, file)) ? readTitles(root, file) : null)
    return known.get(file)
  }
}

function readTitles(root, file) {
  const titles = new Set()
  const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (!isTest(callee)) return
      if (typeof title?.value === 'string') titles.add(title.value)
      if (title?.type === 'TemplateLiteral') titles.add(templateText(title))
    },
  }).visit(program)
  return titles
}

/** `test(...)`, `it(...)`, and `test.each(...)(...)` with its relatives. */
function isTest(callee) {
  if (callee.type === 'Identifier') return callee.name === 'test' || callee.name === 'it'
  if (callee.type === 'MemberExpression') return isTest(callee.object)
  return callee.type === 'CallExpression' && isTest(callee.callee)
}

/** The text of a template with `…` for each of its expressions. */
const templateText = ({ quasis }) => quasis.map(({ value }) => value.cooked).join('…')
