import { expect, test } from 'vitest'
import { type Chunk, chunksOf, type Routes } from './chunks.ts'

/** Chunks by name: what they import, how large they are; pages begin with a capital. */
function build(chunks: Record<string, { imports?: string[]; bytes?: number }>): Chunk[] {
  return Object.entries(chunks).map(([name, { imports = [], bytes = 100 }]) => ({
    fileName: name,
    facadeModuleId: `${name}.ts`,
    imports,
    moduleIds: [`${name}.ts`],
    dynamicImports: name === 'main' ? Object.keys(chunks).filter((one) => one !== one.toLowerCase()) : [],
    isDynamicEntry: name !== name.toLowerCase(),
    code: 'x'.repeat(bytes),
  }))
}

/** The names of the files in each chunk. */
function sharedOf(chunks: Chunk[], routes: Omit<Routes, 'entry'> = {}): string[][] {
  const byName = new Map<string, string[]>()
  for (const [module, name] of chunksOf(chunks, { entry: 'main.ts', ...routes })) {
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

test('what a frame needs is there on every page within it', () => {
  const chunks = build({
    main: {},
    Frame: { imports: ['sidebar'] },
    Home: { imports: ['sidebar'] },
    One: { imports: ['card'] },
    Two: { imports: ['card'] },
    sidebar: { bytes: 10_000 },
    card: { bytes: 100 },
  })
  expect(sharedOf(chunks)).toEqual([['card'], ['sidebar']])
  const inFrame = (page: string) => (['One.ts', 'Two.ts', 'Home.ts'].includes(page) ? ['Frame.ts'] : [])
  expect(sharedOf(chunks, { framesOf: inFrame })).toEqual([['Frame', 'card', 'sidebar']])
  expect(() => sharedOf(chunks, { framesOf: () => ['Moved.ts'] })).toThrow(
    'There is no page or frame Moved.ts',
  )
})

test('a page that people see first loads nothing in vain, and what it needs in few requests', () => {
  const chunks = build({
    main: {},
    List: { imports: ['card', 'chart'] },
    One: { imports: ['card', 'chart', 'form'] },
    Two: { imports: ['card', 'form'] },
    Three: { imports: ['chart', 'form'] },
    card: { bytes: 3_000 },
    chart: { bytes: 3_000 },
    form: { bytes: 3_000 },
  })
  expect(sharedOf(chunks)).toEqual([['card', 'chart', 'form']])
  expect(sharedOf(chunks, { firstPages: ['List.ts'] })).toEqual([['card', 'chart'], ['form']])
  expect(() => sharedOf(chunks, { firstPages: ['Moved.ts'] })).toThrow('There is no page or frame Moved.ts')
})
