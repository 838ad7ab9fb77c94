import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'vite'

/** A comment that begins with ids of rows: `// VML-027, DISK-047`. */
const markOf = /^\s*([A-Z]+-\d{2,3}(?:,\s*[A-Z]+-\d{2,3})*)/

/**
 * The tests of a file: by title whether all of that title are skipped, and the rows whose ids stand at assertions, in
 * the line above or behind them.
 * @typedef {{ id: string, title: string | null, isAssertion: boolean }} Mark
 * @param {string} root the repository
 * @param {string} file
 * @returns {{ titles: Map<string, { skipped: boolean }>, marks: Mark[] }}
 */
export function readTests(root, file) {
  const text = readFileSync(join(root, file), 'utf8')
  const { program, comments } = parseSync(file, text)
  const titles = new Map()
  /** @type {{ title: string, start: number, end: number }[]} */
  const tests = []
  /** @type {{ start: number, end: number }[]} */
  const statements = []
  /** How many of the calls around the current one skip what is in them. */
  let skipping = 0
  new Visitor({
    ExpressionStatement({ start, end }) {
      statements.push({ start, end })
    },
    CallExpression({ callee, arguments: [first], start, end }) {
      if (isSkipped(callee)) skipping++
      if (!isTest(callee)) return
      const title = textOf(first)
      if (title === null) return
      titles.set(title, { skipped: skipping > 0 && titles.get(title)?.skipped !== false })
      tests.push({ title, start, end })
    },
    'CallExpression:exit'({ callee }) {
      if (isSkipped(callee)) skipping--
    },
  }).visit(program)

  const marks = comments.flatMap((comment) => {
    const ids = markOf.exec(comment.value)?.[1]?.split(/,\s*/) ?? []
    if (ids.length === 0) return []
    const around = tests.findLast(({ start, end }) => start < comment.start && comment.end < end)
    const isAssertion = /\bexpect/.test(markedBy(comment, statements, text))
    return ids.map((id) => ({ id, title: around?.title ?? null, isAssertion }))
  })
  return { titles, marks }
}

/** The statement that a comment stands behind, or else the one below it. */
function markedBy({ start, end }, statements, text) {
  const isBehind = (one) => one.end <= start && !text.slice(one.end, start).includes('\n')
  const below = statements.filter((one) => one.start >= end).sort((a, b) => a.start - b.start)[0]
  const marked = statements.findLast(isBehind) ?? below
  return marked ? text.slice(marked.start, marked.end) : ''
}

/** The text of a title, with `…` for each expression in it; null for what is no literal. */
function textOf(title) {
  if (typeof title?.value === 'string') return title.value
  if (title?.type !== 'TemplateLiteral') return null
  return title.quasis.map(({ value }) => value.cooked).join('…')
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
