import { expect, test } from 'vitest'
import { type Chunk, chunksOf } from './chunks.ts'

/** Chunks by name: what they import, how large they are; pages begin with a capital. */
function build(chunks: Record<string, { imports?: string[]; bytes?: number }>): Chunk[] {
  return Object.entries(chunks).map(([name, { imports = [], bytes = 100 }]) => ({
    fileName: name,
    imports,
    moduleIds: [`${name}.ts`],
    isDynamicEntry: name !== name.toLowerCase(),
    code: 'x'.repeat(bytes),
  }))
}

/** The names of the files in each chunk. */
function sharedOf(chunks: Chunk[]): string[][] {
  const byName = new Map<string, string[]>()
  for (const [module, name] of chunksOf(chunks, 'main.ts')) {
    byName.set(name, [...(byName.get(name) ?? []), module.replace('.ts', '')])
  }
  return [...byName.values()].map((files) => files.toSorted()).toSorted()
}

test('small files of the same pages share a chunk; what one page has for itself, and what all begin with, does not', () => {
  const chunks = build({
    main: { imports: ['react'] },
    react: {},
    List: { imports: ['main', 'card', 'status', 'own'] },
    Page: { imports: ['main', 'card', 'status'] },
    own: {},
    card: { imports: ['status', 'react'] },
    status: {},
  })
  expect(sharedOf(chunks)).toEqual([['card', 'status']])
})

test('a large file that one more page would load in vain stays apart, a small one comes along', () => {
  const users = (bytes: number) =>
    build({
      main: {},
      One: { imports: ['everywhere', 'sometimes'] },
      Two: { imports: ['everywhere', 'sometimes'] },
      Three: { imports: ['everywhere'] },
      everywhere: {},
      sometimes: { bytes },
    })
  expect(sharedOf(users(100_000))).toEqual([['everywhere'], ['sometimes']])
  expect(sharedOf(users(100))).toEqual([['everywhere', 'sometimes']])
})

test('never merges files around a third one that both wait for', () => {
  const chunks = build({
    main: {},
    One: { imports: ['top'] },
    Two: { imports: ['top'] },
    Three: { imports: ['middle'] },
    Four: { imports: ['middle'] },
    Five: { imports: ['middle'] },
    top: { imports: ['middle'] },
    middle: { imports: ['bottom'], bytes: 100_000 },
    bottom: {},
  })
  const groups = sharedOf(chunks)
  const of = (file: string) => groups.findIndex((files) => files.includes(file))
  expect(of('top') === of('bottom') && of('top') !== of('middle')).toBe(false)
})

test('depends on use only: other names give the same chunks', () => {
  const chunks = (list: string, card: string, sign: string) =>
    build({
      main: {},
      [list]: { imports: [card, sign] },
      Page: { imports: [card, sign] },
      [card]: {},
      [sign]: {},
    })
  expect(sharedOf(chunks('List', 'card', 'sign'))).toEqual([['card', 'sign']])
  expect(sharedOf(chunks('Renamed', 'a', 'z'))).toEqual([['a', 'z']])
})
