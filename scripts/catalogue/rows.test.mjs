import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCatalogue } from './rows.mjs'

let root

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'catalogue-'))
  write(
    'e2e/public.spec.ts',
    `describe('the pages', () => {
       test('stand alone', async ({ page }) => {})
       test.each(['a'])("don't ask for %s", () => {})
       for (const name of ['x']) test(\`show \${name} too\`, () => {})
     })`,
  )
})

afterEach(() => rmSync(root, { recursive: true }))

function write(file, text) {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

function read(...lines) {
  write('docs/catalogue/public.md', ['| Row | What | Where |', '|---|---|---|', ...lines].join('\n'))
  return readCatalogue(root)
}

describe('the catalogue', () => {
  it('lets rows pass whose tests exist, whatever way the title is written', () => {
    expect(
      read(
        '| PUB-001 | Stand \\| alone. | `e2e/public.spec.ts`: stand alone |',
        "| PUB-002 | Ask. | `e2e/public.spec.ts`: don't ask for %s<br>`e2e/public.spec.ts`: show … too |",
        '| PUB-003 | Disks. | `e2e/public.spec.ts`: stand alone<br>later: disks |',
      ),
    ).toMatchObject({
      rows: [
        { id: 'PUB-001', later: null, tests: [{ testFile: 'e2e/public.spec.ts', title: 'stand alone' }] },
        { id: 'PUB-002', later: null },
        { id: 'PUB-003', later: 'disks' },
      ],
      faults: [],
    })
  })

  it.each([
    ['`e2e/public.spec.ts`: stand together', 'e2e/public.spec.ts has no test titled "stand together"'],
    ['`e2e/public.spec.ts`: the pages', 'e2e/public.spec.ts has no test titled "the pages"'],
    ['`e2e/private.spec.ts`: stand alone', 'there is no file e2e/private.spec.ts'],
    ['seen by eye', '"seen by eye" is neither a `file`: title nor a later: reason'],
    ['', 'names no test; add one or say later: why'],
  ])('refuses a row that says "%s"', (where, fault) => {
    expect(read(`| PUB-001 | Stand alone. | ${where} |`).faults).toEqual([
      `docs/catalogue/public.md: PUB-001: ${fault}`,
    ])
  })

  it.each([
    "test.skip('stand alone', () => {})",
    "it.todo('stand alone')",
    "test.fixme('stand alone', async () => {})",
    "describe.skip('pages', () => { it('stand alone', () => {}) })",
    "test.describe.skip('pages', () => { test('stand alone', () => {}) })",
    "describe.skip('pages', () => { it.each([1])('stand alone', () => {}) })",
  ])('refuses a row whose test is skipped: %s', (text) => {
    write('e2e/public.spec.ts', text)
    expect(read('| PUB-001 | Stand alone. | `e2e/public.spec.ts`: stand alone |').faults).toEqual([
      'docs/catalogue/public.md: PUB-001: e2e/public.spec.ts skips the test titled "stand alone"',
    ])
  })

  it.each([
    "describe.skipIf(missing)('pages', () => { it('stand alone', () => {}) })",
    "test('stand alone', () => { test.skip(missing, 'not installed') })",
    "test.skip('stand alone', () => {})\ntest('stand alone', () => {})",
  ])('takes a test that is skipped in some places only: %s', (text) => {
    write('e2e/public.spec.ts', text)
    expect(read('| PUB-001 | Stand alone. | `e2e/public.spec.ts`: stand alone |').faults).toEqual([])
  })

  describe('ids at assertions', () => {
    const text = (...lines) =>
      write(
        'e2e/public.spec.ts',
        [
          "test('stand alone', () => {",
          ...lines,
          '})',
          "test('load', () => {",
          'expect(2).toBe(2) // PUB-002',
          '})',
        ].join('\n'),
      )
    const rows = () =>
      read(
        '| PUB-001 | Stand alone. | `e2e/public.spec.ts`: stand alone |',
        '| PUB-002 | Load. | `e2e/public.spec.ts`: load |',
      ).faults

    it.each([
      [['// PUB-001', 'expect(1).toBe(1)']],
      [['// PUB-001: as it says', 'await expect.poll(look).toBe(1)']],
      [['expect(1).toBe(1) // PUB-001']],
      [['open()', '// PUB-001', 'for (const one of all)', '  expect(one).toBe(1)']],
    ])('hold their rows: %s', (lines) => {
      text(...lines)
      expect(rows()).toEqual([])
    })

    it('are asked of all rows of a file that has one', () => {
      text('expect(1).toBe(1)')
      expect(rows()).toEqual([
        'docs/catalogue/public.md: PUB-001: no assertion of "stand alone" in e2e/public.spec.ts has // PUB-001 at it, as others of that file have',
      ])
    })

    it('stand at assertions, in tests that their rows name', () => {
      text('// PUB-001', 'open()', 'expect(1).toBe(1)')
      expect(rows()).toEqual(['e2e/public.spec.ts: // PUB-001 stands at no assertion'])
      text('// PUB-001, PUB-002', 'expect(1).toBe(1)')
      expect(rows()).toEqual(['e2e/public.spec.ts: // PUB-002 stands in a test that the row does not name'])
    })
  })

  it('refuses a message that no named test quotes', () => {
    write('e2e/public.spec.ts', `test('stand alone', () => expect(toast).toHaveText('VM "a" created'))`)
    const row = (text) => `| ERR-001 | A VM: \`${text}\`. | \`e2e/public.spec.ts\`: stand alone |`
    expect(read(row('VM "<name>" created')).faults).toEqual([])
    expect(read(row('VM "<name>" made')).faults).toEqual([
      'docs/catalogue/public.md: ERR-001: no test it names has "VM "<name>" made"',
    ])
  })

  it('finds a message in the kit beside a test that takes it', () => {
    write('e2e/words.test-kit.ts', `export const made = 'VM made'`)
    write('e2e/public.spec.ts', `import { made } from './words.test-kit.ts'\ntest('stand alone', () => {})`)
    const row = (text) => `| ERR-001 | A VM: \`${text}\`. | \`e2e/public.spec.ts\`: stand alone |`
    expect(read(row('VM made')).faults).toEqual([])
    expect(read(row('VM lost')).faults).toHaveLength(1)
  })

  it('counts areas whose rows have two digits', () => {
    const row = (id) => `| ${id} | Stand alone. | later: everything |`
    expect(read(row('H-01'), row('H-02'), row('H-04')).faults).toEqual(['H-04: stands where H-03 should'])
  })

  it('misses rows left out, and notices rows that stand twice', () => {
    const row = (id) => `| ${id} | Stand alone. | later: everything |`
    expect(read(row('PUB-001'), row('PUB-003'), row('PUB-003')).faults).toEqual([
      'PUB-003: stands where PUB-002 should',
      'PUB-003: stands where PUB-004 should',
    ])
  })
})
