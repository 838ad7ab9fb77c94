import { expect, test } from 'vitest'
import type { Ground } from './ground.ts'
import { mark } from './names.ts'
import { makeRunNotes } from './run-notes.ts'
import { playGround } from './streams.test-kit.ts'

test('a note that stands there already, or none, costs no call', async () => {
  const { ground, exists } = playGround()
  exists('a', true, { [mark.usedRoot]: 'disk-1' })
  const written: object[] = []
  const client = {
    async merge(_kind: unknown, _at: unknown, { metadata }: { metadata: { annotations: object } }) {
      written.push(metadata.annotations)
      return {}
    },
  } as unknown as Ground['client']
  const machines = { ...ground.mirror.machines, observe: () => {} }
  const notes = makeRunNotes({ ...ground, client, mirror: { ...ground.mirror, machines } })
  const machine = machines.by('id', 'a')[0]
  if (!machine) throw new Error('There is no machine')
  await notes.write(machine, {})
  await notes.write(machine, { [mark.usedRoot]: 'disk-1', [mark.restored]: null })
  expect(written).toEqual([])
  await notes.write(machine, { [mark.usedRoot]: 'disk-2', [mark.restored]: null })
  await notes.write(machine, { [mark.usedRoot]: null })
  expect(written).toEqual([{ [mark.usedRoot]: 'disk-2', [mark.restored]: null }, { [mark.usedRoot]: null }])
  notes.close()
})
