import { text } from 'node:stream/consumers'
import type { Activity } from '@slipway/contract'
import { expect, it } from 'vitest'
import { csv } from './csv.ts'

const entry = (name: string, reason: string | null = null): Activity => ({
  id: 'i',
  at: '2026-01-01T00:00:00.000Z',
  kind: 'wish',
  action: 'vm.start',
  actor: null,
  object: { type: 'vm', id: 'v', name },
  project_id: null,
  message: `Start VM ${name} requested`,
  reason,
})

async function* inParts(...parts: Activity[][]) {
  yield* parts
}

/** The name of the object in the only line below the head. */
async function nameOf(name: string): Promise<string | undefined> {
  const [, line = ''] = (await text(csv(inParts([entry(name)])))).split('\r\n')
  return /"v","((?:[^"]|"")*)",/.exec(line)?.[1]
}

it('has a head and a line for each entry, in all parts', async () => {
  const all = await text(csv(inParts([entry('web')], [entry('db', 'Why')], [])))
  expect(all).toBe(
    [
      '"id","at","kind","action","actor_id","actor_name","object_type","object_id","object_name","project_id","message","reason"',
      '"i","2026-01-01T00:00:00.000Z","wish","vm.start","","","vm","v","web","","Start VM web requested",""',
      '"i","2026-01-01T00:00:00.000Z","wish","vm.start","","","vm","v","db","","Start VM db requested","Why"',
      '',
    ].join('\r\n'),
  )
})

it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '＝1'])('makes a text of %j', async (name) => {
  expect(await nameOf(name)).toBe(`'${name}`)
})

it.each([
  ['a"b', 'a""b'],
  ['a,b', 'a,b'],
  ['a-b', 'a-b'],
  ['"=1', '""=1'],
  ['مرحبا', 'مرحبا'],
])('leaves %j what it is', async (name, written) => {
  expect(await nameOf(name)).toBe(written)
})
