import { describe, expect, test } from 'vitest'
import type { Condition } from './kinds.ts'
import { type MachineSight, noteOfExit, stateOf } from './machine-state.ts'
import { mark } from './names.ts'

const whole = { [mark.whole]: 'true' }
const run = 'uid-1'
type Instance = NonNullable<MachineSight['instance']>
type Status = NonNullable<Instance['status']>
type MachineStatus = NonNullable<MachineSight['machine']['status']>

const condition = (type: string, status: Condition['status'], reason = '', message = ''): Condition => ({
  ...{ type, status, reason, message },
})
const instance = (status: Status, isGoing = false): Instance => ({ uid: run, status, isGoing })
const filled = { uid: 'root-1', status: { phase: 'Succeeded' } }
const ran = [{ phase: 'Running', phaseTransitionTimestamp: '' }]

const see = (
  given: {
    status?: MachineStatus | null
    notes?: Record<string, string>
    instance?: Instance | null
    root?: MachineSight['root']
    rootWarning?: string
    isGoing?: boolean
  } = {},
) =>
  stateOf({
    machine: { status: given.status ?? null, isGoing: given.isGoing ?? false },
    notes: given.notes ?? whole,
    instance: given.instance ?? null,
    root: given.root === undefined ? filled : given.root,
    rootWarning: given.rootWarning ?? null,
  })

const start: MachineStatus = { stateChangeRequests: [{ action: 'Start' }] }
const heldBy = (given: Parameters<typeof see>[0]) => {
  const state = see(given)
  return state.power === 'booting' ? state.held : state
}

describe('a machine without a guest', () => {
  test('is absent until all that belongs to it was made', () => {
    expect(see({ notes: {} })).toEqual({ power: 'absent' })
  })

  test.each([[null], [{ printableStatus: 'Stopped' }], [{ printableStatus: 'Provisioning' }]])(
    'is off whatever KubeVirt calls it in its first moments: %j',
    (status) => {
      expect(see({ status })).toEqual({ power: 'off', run: null, exit: null })
    },
  )

  test('is off although a condition says that it could not be made: nobody has started it', () => {
    const conditions = [condition('Failure', 'True', 'FailedCreate', 'exceeded quota')]
    const seen = see({ status: { printableStatus: 'Stopped', conditions }, root: null })
    expect(seen).toEqual({ power: 'off', run: null, exit: null })
  })

  test('does not trust what the last instance left in its conditions', () => {
    const conditions = [condition('AgentConnected', 'True'), condition('Ready', 'False')]
    expect(see({ status: { conditions } }).power).toBe('off')
  })

  test.each([
    ['Succeeded', 'NotFound', /does not have the disk any more/],
    ['Failed', 'ClaimLost', /lost what the disk held/],
  ])('whose claim is gone (%s, %s) is broken', (phase, reason, sentence) => {
    const root = { uid: 'root-1', status: { phase, conditions: [condition('Bound', 'False', reason)] } }
    expect(see({ root })).toEqual({ power: 'broken', reason: expect.stringMatching(sentence) })
  })

  test('whose claim is not there yet is not broken', () => {
    const status = { phase: 'Pending', conditions: [condition('Bound', 'False', 'NotFound')] }
    expect(see({ root: { uid: 'root-1', status } }).power).toBe('off')
  })

  test('is broken when its root disk was deleted by hand: KubeVirt makes it again from the image', () => {
    const notes = { ...whole, [mark.usedRoot]: 'another' }
    const reason = expect.stringMatching(/deleted in the cluster/)
    expect(see({ notes })).toEqual({ power: 'broken', reason })
    for (const more of [
      { [mark.forgetful]: 'true' },
      { [mark.restored]: 'safety' },
      { [mark.usedRoot]: 'restored' },
    ])
      expect(see({ notes: { ...notes, ...more } }).power).toBe('off')
    expect(see({ notes, status: { restoreInProgress: 'restore-1' } }).power).toBe('off')
    expect(see({ notes: { ...whole, [mark.usedRoot]: 'root-1' } }).power).toBe('off')
  })
})

test('a machine that somebody deletes with another tool is lost as soon as its guest has ended', () => {
  const notes = { ...whole, [mark.run]: run }
  const lost = { power: 'broken', reason: expect.stringContaining('deleted in the cluster, not by Slipway') }
  expect(see({ notes, isGoing: true })).toEqual(lost)
  expect(see({ notes, isGoing: true, instance: instance({ phase: 'Succeeded' }) })).toEqual(lost)
  expect(see({ notes, isGoing: true, instance: instance({ phase: 'Running' }) }).power).toBe('booting')
})

describe('a machine that was started', () => {
  test('boots before it has an instance, whatever the last one left', () => {
    expect(see({ status: start })).toEqual({ power: 'booting', run: 'pending', address: null, held: null })
    expect(see({ status: start, instance: instance({ phase: 'Succeeded' }) })).toMatchObject({
      power: 'booting',
    })
  })

  test.each([
    [null, 'The root disk is being created.'],
    [{ phase: 'CloneInProgress', progress: 'N/A' }, 'The root disk is being created.'],
    [{ phase: 'CloneInProgress', progress: '42.50%' }, 'The root disk is being created (42%).'],
    [
      { phase: 'Failed', conditions: [condition('Running', 'False', 'Error', 'no such image')] },
      'The root disk could not be created. The cluster says: no such image.',
    ],
    [
      { phase: 'Pending', conditions: [condition('Bound', 'False', 'ErrExceededQuota')] },
      'The root disk could not be created. The quota of the project in the cluster is used up.',
    ],
  ])('waits for its root disk: %j', (status, reason) => {
    expect(heldBy({ status: start, root: status && { uid: 'root-1', status } })).toEqual({
      by: 'parts',
      reason,
    })
  })

  test('says that its disk is gone where KubeVirt only misses it', () => {
    const conditions = [condition('Failure', 'True', 'FailedPvcNotFound', 'no claim')]
    const gone = { phase: 'Succeeded', conditions: [condition('Bound', 'False', 'NotFound')] }
    const reasonWith = (root: MachineSight['root']) => heldBy({ status: { ...start, conditions }, root })
    expect(reasonWith(filled)).toMatchObject({ reason: 'A disk of the VM is not there yet.' })
    expect(reasonWith({ uid: 'root-1', status: gone })).toMatchObject({
      reason: 'The cluster does not have the disk any more.',
    })
  })

  test('says what the cluster says of a root disk that does not get on', () => {
    const root = { uid: 'root-1', status: { phase: 'Pending' } }
    expect(heldBy({ status: start, root, rootWarning: 'no space left.' })).toMatchObject({
      reason: 'The root disk is being created. The cluster says: no space left.',
    })
  })

  test.each([['WaitForFirstConsumer'], ['PendingPopulation'], ['Succeeded']])(
    'does not wait for a root disk that is %s',
    (phase) => {
      expect(heldBy({ status: start, root: { uid: 'root-1', status: { phase } } })).toBeNull()
    },
  )

  test.each([
    [
      'insufficient permissions in clone source namespace slipway-images',
      /does not allow the project to copy/,
    ],
    [
      'pods "x" is forbidden: exceeded quota: project',
      /^The quota of the project in the cluster is used up\.$/,
    ],
    ['something\nelse.', /^The cluster cannot start the VM yet\. The cluster says: something else\.$/],
  ])('says why KubeVirt could not make it: %s', (message, reason) => {
    const conditions = [condition('Failure', 'True', 'FailedCreate', message)]
    expect(heldBy({ status: { ...start, printableStatus: 'Stopped', conditions }, root: null })).toEqual({
      by: 'parts',
      reason: expect.stringMatching(reason),
    })
  })
})

describe('a machine with an instance', () => {
  const interfaces = [{ name: 'default', ipAddress: '10.0.0.7' }]
  const address = { ip: '10.0.0.7', port: 22 }

  test.each([[undefined], ['Pending'], ['Scheduling'], ['Scheduled']] as const)(
    'boots while it is %s',
    (phase) => {
      const seen = see({ instance: instance(phase ? { phase } : {}) })
      expect(seen).toEqual({ power: 'booting', run, address: null, held: null })
    },
  )

  test('boots until SSH has answered in this run, and is ready then', () => {
    const living = instance({ phase: 'Running', interfaces })
    expect(see({ instance: living })).toEqual({ power: 'booting', run, address, held: null })
    expect(see({ instance: living, notes: { ...whole, [mark.ready]: 'another' } }).power).toBe('booting')
    const greeted = { ...whole, [mark.ready]: run }
    expect(see({ instance: living, notes: greeted })).toEqual({ power: 'ready', run, address })
  })

  test('is alive until it has ended, although it was told to go', () => {
    expect(see({ instance: instance({ phase: 'Running', interfaces }, true) }).power).toBe('booting')
  })

  test('is held by room where no node takes it', () => {
    const conditions = [condition('PodScheduled', 'False', 'Unschedulable', '0/2 nodes are available.')]
    expect(heldBy({ instance: instance({ phase: 'Scheduling', conditions }) })).toEqual({
      by: 'room',
      reason: 'No node of the cluster has room for the VM. The cluster says: 0/2 nodes are available.',
    })
  })

  test.each([
    ['ErrImagePull', 'not found', /cannot download the container image.*not found/],
    ['ImagePullBackOff', '', /cannot download the container image that VMs run in\.$/],
    ['FailedPvcNotFound', 'PVC a/b does not exist', /^A disk of the VM is not there yet\.$/],
    ['FailedCreate', 'exceeded quota: project', /^The quota of the project/],
    ['FailedCreate', 'violates PodSecurity "baseline"', /pod security level to privileged/],
    ['Other', 'words', /cannot start the VM yet\. The cluster says: words\.$/],
  ])('is held by parts: %s %s', (reason, message, sentence) => {
    const conditions = [condition('Synchronized', 'False', reason, message)]
    expect(heldBy({ instance: instance({ phase: 'Pending', conditions }) })).toEqual({
      by: 'parts',
      reason: expect.stringMatching(sentence),
    })
  })

  test('cannot be read while its node does not answer, although KubeVirt says that it runs', () => {
    const conditions = [condition('Ready', 'False', 'NodeNotReady')]
    const living = instance({ phase: 'Running', interfaces, conditions })
    expect(see({ instance: living, notes: { ...whole, [mark.ready]: run } })).toEqual({
      power: 'unreadable',
      reason: expect.stringContaining('The node on which the VM runs does not answer.'),
    })
  })
})

describe('a run that is over', () => {
  const exit = (given: Parameters<typeof see>[0]) => {
    const state = see(given)
    expect(state).toMatchObject({ power: 'off', run })
    return 'exit' in state ? state.exit : null
  }
  const forgetful = { ...whole, [mark.forgetful]: 'true' }

  test('was asked for, however the instance ended', () => {
    const notes = { ...whole, [mark.asked]: run }
    for (const phase of ['Succeeded', 'Failed'] as const)
      expect(exit({ notes, instance: instance({ phase }) })).toEqual({ how: 'asked' })
    expect(exit({ notes: { ...notes, [mark.run]: run } })).toEqual({ how: 'asked' })
  })

  test('was asked for in an earlier run only: that does not count', () => {
    const notes = { ...whole, [mark.asked]: 'uid-0' }
    expect(exit({ notes, instance: instance({ phase: 'Succeeded' }) })).toEqual({ how: 'clean' })
  })

  test('ended by itself', () => {
    expect(exit({ instance: instance({ phase: 'Succeeded' }) })).toEqual({ how: 'clean' })
  })

  test('was ended by somebody with another tool', () => {
    const removed = { how: 'crashed', reason: 'The VM was stopped in the cluster, not by Slipway.' }
    expect(exit({ instance: instance({ phase: 'Succeeded' }, true) })).toEqual(removed)
    expect(exit({ notes: { ...whole, [mark.run]: run } })).toEqual(removed)
  })

  test.each([['NodeUnresponsive'], ['Evicted'], ['NodeLost']])('went down with its node: %s', (reason) => {
    expect(exit({ instance: instance({ phase: 'Failed', reason }) })).toEqual({ how: 'host-restart' })
  })

  test.each([
    [{ phaseTransitionTimestamps: ran }, /^The guest crashed\.$/],
    [{ phaseTransitionTimestamps: ran, reason: 'OOMKilled' }, /crashed\. The cluster says: OOMKilled\.$/],
    [{ phaseTransitionTimestamps: [] }, /^The guest could not be started\.$/],
    [
      {
        phaseTransitionTimestamps: [],
        conditions: [condition('Synchronized', 'False', 'Failed', 'qemu unexpectedly closed the monitor')],
      },
      /could not be started\. The cluster says: qemu unexpectedly closed/,
    ],
  ])('crashed, with what KubeVirt says of it: %j', (status, reason) => {
    expect(exit({ instance: instance({ phase: 'Failed', ...status }) })).toEqual({
      how: 'crashed',
      reason: expect.stringMatching(reason),
    })
  })

  test('was a reboot where a reboot ends the run, unless the cluster says that it crashed', () => {
    const failed: Status = { phase: 'Failed', phaseTransitionTimestamps: ran }
    expect(exit({ notes: forgetful, instance: instance(failed) })).toEqual({ how: 'reboot' })
    const conditions = [condition('Synchronized', 'False', 'Failed', 'it broke')]
    const ended = instance({ ...failed, conditions })
    expect(exit({ notes: forgetful, instance: ended })).toMatchObject({ how: 'crashed' })
  })

  test('was a crash where such a guest ends again and again as soon as it is up', () => {
    const failedAfter = (seconds: number, uid: string): Instance => ({
      ...instance({
        phase: 'Failed',
        phaseTransitionTimestamps: [
          { phase: 'Running', phaseTransitionTimestamp: '2026-11-23T01:00:00Z' },
          {
            phase: 'Failed',
            phaseTransitionTimestamp: new Date(Date.UTC(2026, 10, 23, 1, 0, seconds)).toISOString(),
          },
        ],
      }),
      uid,
    })
    let notes: Record<string, string> = forgetful
    let runs = 1
    const endsAfter = (seconds: number) => {
      const ended = failedAfter(seconds, `uid-${++runs}`)
      const state = see({ notes, instance: ended })
      notes = { ...forgetful, [mark.ended]: noteOfExit(ended, notes) }
      // It says the same once it is noted.
      expect(see({ notes, instance: ended })).toEqual(state)
      return state.power === 'off' ? state.exit?.how : state.power
    }
    expect([1, 1, 1, 1, 119].map(endsAfter)).toEqual(['reboot', 'reboot', 'reboot', 'reboot', 'crashed'])
    // Who starts it again finds it as patient as before, and one good run is enough to forget the others.
    expect([1, 1, 1, 1, 120, 1, 1, 1, 1].map(endsAfter)).toEqual(Array(9).fill('reboot'))
    expect(endsAfter(1)).toBe('crashed')
  })

  test('is still known when its instance is gone, and torn notes are none', () => {
    const ended = noteOfExit(instance({ phase: 'Succeeded' }), whole)
    const noted = { ...whole, [mark.run]: run, [mark.ended]: ended }
    expect(exit({ notes: noted })).toEqual({ how: 'clean' })
    expect(exit({ notes: { ...noted, [mark.ended]: '{' } })).toMatchObject({ how: 'crashed' })
    const other = noteOfExit({ ...instance({ phase: 'Succeeded' }), uid: 'uid-0' }, whole)
    expect(exit({ notes: { ...noted, [mark.ended]: other } })).toMatchObject({ how: 'crashed' })
  })
})
