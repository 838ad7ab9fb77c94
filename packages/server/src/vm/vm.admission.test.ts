/** Memory is promised once. */
import { expect, test } from 'vitest'
import type { Engine } from '../engine/engine.ts'
import { systemClock } from '../lib/clock.ts'
import { makeAdmission } from './vm.admission.ts'
import type { VmRepo } from './vm.repo.ts'
import type { VmRecord } from './vm.state.ts'

const vm = (id: string, memoryMb = 256) => ({ id, memoryMb }) as VmRecord
const admissionWith = (freeMb: number | null, promisedMb = 0) =>
  makeAdmission({
    repo: { admittedBeside: async () => ({ promisedMb, starting: 0 }) } as unknown as VmRepo,
    engine: { freeMemoryMb: async () => freeMb } as Engine,
    clock: systemClock,
    startsAtOnce: 4,
    wake: () => {},
  })

test('what is being given to one VM is promised to no other, until it counts as given', async () => {
  const { lend, admit } = admissionWith(1000)
  const [one, other] = await Promise.all([lend(vm('a'), 600), lend(vm('b'), 600)])
  expect([one !== null, other]).toEqual([true, null])
  const hasRoom = (mb: number) => admit(vm('c', mb), async ({ room }) => room)
  expect([await hasRoom(400), await hasRoom(401)]).toEqual([true, false])
  one?.()
  expect([await hasRoom(1000), (await lend(vm('b'), 600)) !== null]).toEqual([true, true])
})

test('what is promised to VMs that start is given to none that runs', async () => {
  expect(await admissionWith(1000, 500).lend(vm('a'), 600)).toBeNull()
  expect(await admissionWith(1000, 500).lend(vm('a'), 500)).not.toBeNull()
})

test('nothing is had without room, and an engine that finds places has it always', async () => {
  expect(await admissionWith(0).lend(vm('a'), 0)).not.toBeNull()
  expect(await admissionWith(null).lend(vm('a'), 600)).not.toBeNull()
})
