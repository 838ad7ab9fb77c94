import { expect, test } from 'vitest'
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

const failed = expect.objectContaining({ is: 'failed' })
const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  conditions: [{ type, status, reason }],
})
test.each<[string, Parameters<typeof restoringOf>[0], object]>([
  [
    'is done when the root disk is in place',
    { complete: true, restores: [{ volumeName: 'root' }] },
    { is: 'done' },
  ],
  ['that completed and tells nothing has failed', { complete: true }, failed],
  ['that completed and put nothing in place has failed', { complete: true, restores: [] }, failed],
  ['without the root disk has failed', { complete: true, restores: [{ volumeName: 'disk-a' }] }, failed],
  [
    'goes on while KubeVirt says that the VM is not running',
    { complete: false, ...condition('Progressing', 'False', 'VM is not running') },
    { is: 'coming' },
  ],
  ['goes on before KubeVirt says anything', null, { is: 'coming' }],
  [
    'has failed when KubeVirt says so',
    condition('Failure', 'True', 'no storage'),
    { is: 'failed', why: 'no storage' },
  ],
])('a restore %s', (_, status, is) => {
  expect(restoringOf(status)).toEqual(is)
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
