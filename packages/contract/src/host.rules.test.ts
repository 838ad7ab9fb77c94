import { expect, test } from 'vitest'
import { screenAllowed } from './console.rules.ts'
import { hotPlugAllowed } from './disk.rules.ts'
import { diskSnapshotTypeAllowed, diskSnapshotTypes } from './disk-snapshot.rules.ts'
import { type Limits, limitNames, noLimits } from './host.rules.ts'
import { Host } from './host.ts'
import { suspendAllowed, vmStatuses } from './vm.rules.ts'
import { vmSnapshotTypeAllowed, vmSnapshotTypes } from './vm-snapshot.rules.ts'

const sentence = (name: string) => `This cluster has no ${name}.`
const limits = (of: (name: string) => string | null) =>
  Object.fromEntries(limitNames.map((name) => [name, of(name)])) as Limits
const unable = limits(sentence)

/** Every question that a rule can be asked, with the limit it depends on and what that refuses. */
const questions: {
  what: string
  limit: keyof Limits
  refused: boolean
  ask: (cannot: Limits) => true | string
}[] = [
  ...vmSnapshotTypes.map((type) => ({
    what: `a VM snapshot of the type ${type}`,
    limit: 'memory_snapshots' as const,
    refused: type === 'full',
    ask: (cannot: Limits) => vmSnapshotTypeAllowed(type, cannot),
  })),
  ...diskSnapshotTypes.map((type) => ({
    what: `a disk snapshot of the type ${type}`,
    limit: 'incremental_snapshots' as const,
    refused: type === 'incremental',
    ask: (cannot: Limits) => diskSnapshotTypeAllowed(type, cannot),
  })),
  ...[...vmStatuses, 'Running', 'STOPPED', 'paused'].map((status) => ({
    what: `plugging while the VM is ${status}`,
    limit: 'hot_plug' as const,
    refused: !['stopped', 'failed', 'error'].includes(status.toLowerCase()),
    ask: (cannot: Limits) => hotPlugAllowed({ status }, cannot),
  })),
  { what: 'suspending', limit: 'suspend', refused: true, ask: suspendAllowed },
  { what: 'a screen', limit: 'screens', refused: true, ask: screenAllowed },
]

test.each(questions)(
  '$what is refused: $refused, by its own limit and no other',
  ({ limit, refused, ask }) => {
    expect(ask(noLimits)).toBe(true)
    expect(ask(limits((name) => (name === limit ? null : sentence(name))))).toBe(true)
    const only = limits((name) => (name === limit ? sentence(name) : null))
    for (const cannot of [only, unable]) expect(ask(cannot)).toBe(refused ? sentence(limit) : true)
  },
)

test('the host tells every limit there is', () => {
  expect(Object.keys(Host.shape.cannot.shape)).toEqual([...limitNames])
})
