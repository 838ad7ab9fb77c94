import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { filesUnder } from '../setup/tree.mjs'

/**
 * `later` tells what a row, or the rest of it, waits for; null when its tests hold all of it.
 * @typedef {{ testFile: string, title: string }} NamedTest
 * @typedef {{ id: string, later: string | null, tests: NamedTest[] }} Row
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
    for (const { id, what, tests, later, strange } of readTable(readFileSync(path, 'utf8'))) {
      const fault = (text) => faults.push(`${file}: ${id}: ${text}`)
      rows.push({ id, later, tests })
      for (const text of strange) fault(`"${text}" is neither a \`file\`: title nor a later: reason`)
      if (tests.length === 0 && !later && strange.length === 0)
        fault('names no test; add one or say later: why')
      // What the console says to the letter stands in a test, too.
      if (id.startsWith('ERR-'))
        for (const sentence of unheldSentences(root, what, tests)) fault(`no test it names has "${sentence}"`)
      for (const { testFile, title } of tests) {
        const titles = titlesOf(testFile)
        if (!titles) fault(`there is no file ${testFile}`)
        else if (!titles.has(title)) fault(`${testFile} has no test titled "${title}"`)
        else if (titles.get(title).skipped) fault(`${testFile} skips the test titled "${title}"`)
      }
    }
  }
  return { rows, faults: [...faults, ...numbering(rows)] }
}

function readTable(text) {
  return text.split('\n').flatMap((line) => {
    const [, id, what, where] = line.match(/^\| ([A-Z]+-\d{2,3}) \|(.*) \|\s*(.*?)\s*\|$/) ?? []
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
    return [{ id, what, tests, later, strange }]
  })
}

/** The quoted sentences of a row that stand in none of the files of its tests; `<name>` stands for any text. */
function unheldSentences(root, what, tests) {
  const files = tests.map(({ testFile }) => join(root, testFile)).filter((file) => existsSync(file))
  const texts = files.map((file) => readFileSync(file, 'utf8'))
  return [...what.matchAll(/`([^`]+)`/g)]
    .map(([, sentence]) => sentence)
    .filter((sentence) => {
      const pieces = sentence.split(/"?<\w+>"?/)
      return !texts.some((text) => pieces.every((piece) => text.includes(piece)))
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
      : [`${id}: stands where ${area}-${String(expected).padStart(number.length, '0')} should`]
  })
}

/** The titles of the tests in a file, with whether all tests of that title are skipped, or null without the file; each file is read once. */
function titleReader(root) {
  const known = new Map()
  return (file) => {
    if (!known.has(file)) known.set(file, existsSync(join(root, file)) ? readTitles(root, file) : null)
    return known.get(file)
  }
}

function readTitles(root, file) {
  const titles = new Map()
  const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  /** How many of the calls around the current one skip what is in them. */
  let skipping = 0
  const add = (title, skipped) =>
    titles.set(title, { skipped: skipped && titles.get(title)?.skipped !== false })
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (isSkipped(callee)) skipping++
      if (!isTest(callee)) return
      if (typeof title?.value === 'string') add(title.value, skipping > 0)
      if (title?.type === 'TemplateLiteral') add(templateText(title), skipping > 0)
    },
    'CallExpression:exit'({ callee }) {
      if (isSkipped(callee)) skipping--
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

/**
 * `test.skip('title', ...)`, `describe.skip(...)`, `it.todo(...)` and the like; not `test.skip(condition, reason)` inside
 * a test nor `describe.skipIf(...)`, which skip on some machines only.
 */
function isSkipped(callee) {
  if (callee.type === 'CallExpression') return isSkipped(callee.callee)
  if (callee.type !== 'MemberExpression') return false
  return ['skip', 'todo', 'fixme'].includes(callee.property.name) || isSkipped(callee.object)
}

/** The text of a template with `…` for each of its expressions. */
const templateText = ({ quasis }) => quasis.map(({ value }) => value.cooked).join('…')
