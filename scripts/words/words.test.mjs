import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { expect, test } from 'vitest'
import { filesUnder, root } from '../setup/tree.mjs'

/** Words of docs/words.md that stand for something else wherever they are, and what to say. */
const never = [
  [/\be-mails?\b/i, 'email'],
  [/\baddress(es)? on the web\b/i, 'URL'],
  [/\bin trouble\b/i, 'needs attention'],
]

/** The texts of a program: strings, templates and what stands between tags, but no comments. */
function textsOf(file, source) {
  const texts = []
  const take = ({ value }) => {
    const text = typeof value === 'string' ? value : value?.cooked
    if (text) texts.push(text)
  }
  new Visitor({ Literal: take, TemplateElement: take, JSXText: take }).visit(parseSync(file, source).program)
  return texts
}

test('one thing has one word in all texts of console, server and contract', () => {
  const files = ['web', 'server', 'contract']
    .flatMap((name) => filesUnder(join(root, 'packages', name, 'src')))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.test-kit\.|\/gallery\//.test(file))
  expect(files.length).toBeGreaterThan(300)
  const said = files.flatMap((file) =>
    textsOf(file, readFileSync(file, 'utf8')).flatMap((text) =>
      never
        .filter(([word]) => word.test(text))
        .map(([, better]) => `${relative(root, file)}: "${text.trim()}", say ${better}`),
    ),
  )
  expect(said).toEqual([])
})
