import { expect, it } from 'vitest'
import type { Answer } from './client.ts'
import { compare } from './compare.ts'
import type { Host } from './host.ts'
import { perform } from './traffic.ts'
import { makeWorld, newKnown } from './world.ts'

const accepted: Answer = { status: 204, text: '', headers: {}, took: 1 }

it.each([
  ['whose answer came', accepted],
  ['whose answer never came', null],
])('after a deletion of a VM %s, its disk may be free', async (_, answer) => {
  const world = makeWorld()
  const of = { user: 0, fate: 'there' as const }
  world.objects.set('p', newKnown({ ...of, handle: 'p', kind: 'project', name: 'p', id: 'p' }))
  world.objects.set('v', newKnown({ ...of, handle: 'v', kind: 'vm', name: 'v', id: 'v', project: 'p' }))
  const disk = newKnown({ ...of, handle: 'd', kind: 'disk', name: 'd', id: 'd', project: 'p' })
  disk.facts = { name: 'd', vm_id: 'v' }
  world.objects.set('d', disk)
  const client = { send: async () => answer, cookie: '', from: '', close: () => {} }
  const person = { name: 'a', email: 'a', client, signIn: async () => true, askToSignIn: async () => null }

  const step = { n: 1, wait: 0, do: 'operation' as const, user: 0, operation: 'deleteVm', args: { on: 'v' } }
  // A plain call needs nothing of the host.
  await perform({} as Host, world, [person], step)

  const left = [
    { kind: 'project' as const, user: 0, object: { id: 'p', name: 'p' } },
    { kind: 'disk' as const, user: 0, object: { id: 'd', name: 'd', vm_id: null, project_id: 'p' } },
  ]
  expect(compare(world, left, { settled: true, unlucky: false })).toEqual([])
  expect(world.objects.get('v')?.fate).toBe('gone')
})
