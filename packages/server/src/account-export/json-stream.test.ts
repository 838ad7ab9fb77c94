import { expect, it } from 'vitest'
import { type Part, writeJson } from './json-stream.ts'

async function* list(...elements: unknown[]) {
  yield* elements
}

async function written(parts: readonly (readonly [string, Part])[]): Promise<unknown> {
  let text = ''
  for await (const piece of writeJson(parts)) text += piece
  return JSON.parse(text)
}

it('writes values and lists of any length as one document', async () => {
  expect(await written([])).toEqual({})
  const parts = [
    ['a "b"', async () => ({ x: [1, null] })],
    ['none', list()],
    ['one', list({ y: 1 })],
    ['two', list('z', 2)],
  ] as const
  expect(await written(parts)).toEqual({
    'a "b"': { x: [1, null] },
    none: [],
    one: [{ y: 1 }],
    two: ['z', 2],
  })
})

it('reads a part when its turn comes', async () => {
  const read: string[] = []
  const part = (name: string) =>
    [
      name,
      async () => {
        read.push(name)
        return name
      },
    ] as const
  const pieces = writeJson([part('a'), part('b')])
  await pieces.next()
  expect(read).toEqual([])
  await pieces.next()
  expect(read).toEqual(['a'])
})
