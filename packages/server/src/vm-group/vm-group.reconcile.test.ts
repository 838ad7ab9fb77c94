import { expect, it } from 'vitest'
import { makeHandClock } from '../lib/hand-clock.ts'
import { silentLog } from '../lib/log.ts'
import { groupOf, memberOf, now } from './plan.test-kit.ts'
import type { Member } from './vm-group.facts.ts'
import { makeVmGroupReconcile, type VmGroupReconcileOptions } from './vm-group.reconcile.ts'
import type { GroupRecord } from './vm-group.state.ts'

it('a change of a group is told once, and again when its members changed and changed back between two looks', async () => {
  const group = { id: 'g', facts: groupOf(), status: 'active', statusMessage: null } as GroupRecord
  let members: Member[] = [memberOf(1), memberOf(2)]
  let told = 0
  // All that a look uses at a group that rests.
  const repo = {
    find: async () => group,
    isFrozen: async () => false,
    members: async () => members,
  } as unknown as VmGroupReconcileOptions['repo']
  const { look } = makeVmGroupReconcile({
    repo,
    vms: {} as VmGroupReconcileOptions['vms'],
    announce: async () => void told++,
    clock: makeHandClock(now),
    log: silentLog,
    membersAtOnce: 2,
  })
  await look('g')
  await look('g')
  expect(told).toBe(1)
  // Suspended with their project and running again.
  members = members.map((member) => ({ ...member, statusSince: now - 1000 }))
  await look('g')
  expect(told).toBe(2)
})
