import { describe, expect, test } from 'vitest'
import type { MachineSnapshotContent } from './kinds.ts'
import { makeNames } from './names.ts'
import { asideFor, asideIn, readPrepared, restoringOf, writePrepared } from './restore-plan.ts'

const names = makeNames('slipway')
const backup = (volumeName: string) => ({
  volumeName,
  persistentVolumeClaim: { metadata: { name: volumeName }, spec: {} },
})
const content: MachineSnapshotContent = {
  metadata: { name: 'content' },
  spec: { volumeBackups: [backup('root'), backup('disk-a'), backup('disk-b'), backup('seed')] },
}

test('what the machine does not have any more is put aside and never overwritten', () => {
  const aside = asideFor(names, 'restore-x', content, ['b', 'c'])
  expect(aside.map(({ volumeName }) => volumeName)).toEqual(['disk-a', 'seed'])
  const claims = aside.map(({ restoreName }) => restoreName ?? '')
  expect(new Set(claims).size).toBe(2)
  const restores = [
    { volumeName: 'root', persistentVolumeClaim: 'vm-x-root' },
    { volumeName: 'disk-b', persistentVolumeClaim: 'disk-b' },
    ...aside.map(({ volumeName, restoreName = '' }) => ({ volumeName, persistentVolumeClaim: restoreName })),
  ]
  expect(asideIn('restore-x', { restores })).toEqual(claims)
  expect(asideIn('restore-x', null)).toEqual([])
})

describe('a restore', () => {
  test('is done when the root disk is in place', () => {
    expect(restoringOf({ complete: true, restores: [{ volumeName: 'root' }] })).toEqual({ is: 'done' })
  })

  test('that completed and put nothing in place has failed', () => {
    expect(restoringOf({ complete: true })).toMatchObject({ is: 'failed' })
    expect(restoringOf({ complete: true, restores: [] })).toMatchObject({ is: 'failed' })
    expect(restoringOf({ complete: true, restores: [{ volumeName: 'disk-a' }] })).toMatchObject({
      is: 'failed',
    })
  })

  test('goes on while KubeVirt says that the VM is not running', () => {
    const conditions = [{ type: 'Progressing', status: 'False', reason: 'VM is not running' }] as const
    expect(restoringOf({ complete: false, conditions: [...conditions] })).toEqual({ is: 'coming' })
    expect(restoringOf(null)).toEqual({ is: 'coming' })
  })

  test('has failed when KubeVirt says so', () => {
    const conditions = [{ type: 'Failure', status: 'True', reason: 'no storage' }] as const
    expect(restoringOf({ conditions: [...conditions] })).toEqual({ is: 'failed', why: 'no storage' })
  })
})

test('what was prepared is read as it was written, and nothing else is', () => {
  const prepared = { snapshotId: 'a', volumeIds: ['b'] }
  expect(readPrepared(writePrepared(prepared))).toEqual(prepared)
  for (const text of [
    undefined,
    '',
    'null',
    '{}',
    '[]',
    '{"snapshotId":1,"volumeIds":[]}',
    '{"snapshotId":"a"}',
  ])
    expect(readPrepared(text)).toBe(null)
})
