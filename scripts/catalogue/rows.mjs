import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { filesUnder } from '../setup/tree.mjs'
import { readTests } from './tests.mjs'

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
  const testsOf = reader(root)
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
        const known = testsOf(testFile)
        if (!known) fault(`there is no file ${testFile}`)
        else if (!known.titles.has(title)) fault(`${testFile} has no test titled "${title}"`)
        else if (known.titles.get(title).skipped) fault(`${testFile} skips the test titled "${title}"`)
        else if (
          known.marks.length > 0 &&
          !known.marks.some((mark) => mark.id === id && mark.title === title)
        )
          fault(`no assertion of "${title}" in ${testFile} has // ${id} at it, as others of that file have`)
      }
    }
  }
  return { rows, faults: [...faults, ...numbering(rows), ...strayMarks(rows, testsOf)] }
}

/** Ids at assertions of tests that their rows do not name, and ids at what is no assertion. */
function strayMarks(rows, testsOf) {
  const named = rows.flatMap(({ id, tests }) => tests.map((test) => ({ id, ...test })))
  return [...new Set(named.map(({ testFile }) => testFile))].flatMap((testFile) =>
    (testsOf(testFile)?.marks ?? []).flatMap(({ id, title, isAssertion }) => {
      if (!isAssertion) return [`${testFile}: // ${id} stands at no assertion`]
      const isNamed = named.some((one) => one.id === id && one.testFile === testFile && one.title === title)
      return isNamed ? [] : [`${testFile}: // ${id} stands in a test that the row does not name`]
    }),
  )
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
  const texts = files.map(withKits)
  return [...what.matchAll(/`([^`]+)`/g)]
    .map(([, sentence]) => sentence)
    .filter((sentence) => {
      const pieces = sentence.split(/"?<\w+>"?/)
      return !texts.some((text) => pieces.every((piece) => text.includes(piece)))
    })
}

/** The text of a test file and of the kits beside it that it takes: what several files expect stands there once. */
function withKits(file) {
  const text = readFileSync(file, 'utf8')
  const kits = [...text.matchAll(/from '\.\/([\w.-]+\.test-kit\.ts)'/g)].map(([, kit]) =>
    join(dirname(file), kit),
  )
  return [text, ...kits.map((kit) => readFileSync(kit, 'utf8'))].join('\n')
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

/** What is in the test files; each is read once, and null where there is none. */
function reader(root) {
  const known = new Map()
  return (file) => {
    if (!known.has(file)) known.set(file, existsSync(join(root, file)) ? readTests(root, file) : null)
    return known.get(file)
  }
}
