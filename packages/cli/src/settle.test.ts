import { isTransitional } from '@slipway/contract'
import { expect, it } from 'vitest'
import { Failure } from './failure.ts'
import { awaitedOf, judge, patiently } from './settle.ts'

const vm = (status: string, message: string | null = null) => ({
  id: '1',
  name: 'web',
  status,
  status_message: message,
})
const verdict = (object: ReturnType<typeof vm> | null, wanted?: string) => {
  const found = judge(object, isTransitional, wanted)
  return found instanceof Failure ? `${found.exit}: ${found.message}` : found
}

it.each([
  ['pending', undefined, 'wait'],
  ['stopping', undefined, 'wait'],
  ['running', undefined, 'done'],
  ['stopped', undefined, 'done'],
  ['running', 'running', 'done'],
  ['starting', 'starting', 'done'],
  ['starting', 'running', 'wait'],
  ['stopped', 'running', 'failed: web is stopped.'],
  ['failed', undefined, 'failed: web is failed.'],
  ['failed', 'failed', 'done'],
  ['running', 'deleted', 'wait'],
  ['failed', 'deleted', 'wait'],
])('a VM that is %s, waited for until %s: %s', (status, wanted, expected) => {
  expect(verdict(vm(status), wanted)).toBe(expected)
})

it('says why it failed, and that it was deleted meanwhile', () => {
  expect(verdict(vm('error', 'The guest crashed.'))).toBe('failed: web is error: The guest crashed.')
  expect(verdict(null)).toBe('done')
  expect(verdict(null, 'deleted')).toBe('done')
  expect(verdict(null, 'running')).toBe('notFound: It was deleted.')
})

it('knows what a call leaves to wait for', () => {
  const params = { projectId: 'p', vmId: 'v' }
  expect(awaitedOf('vm.stop', 'vm', params, vm('stopping'))).toEqual({ kind: 'vm', ids: ['1'] })
  expect(awaitedOf('vm.fork', 'vm', params, [vm('pending'), { ...vm('pending'), id: '2' }])).toEqual({
    kind: 'vm',
    ids: ['1', '2'],
  })
  expect(awaitedOf('vm.delete', 'vm', params, undefined)).toEqual({ kind: 'vm', ids: ['v'] })
  const restored = { message: 'Done', vm: vm('stopping') }
  expect(awaitedOf('vmSnapshot.restore', 'vm-snapshot', { snapshotId: 's' }, restored)).toEqual({
    kind: 'vm',
    ids: ['1'],
  })
  expect(awaitedOf('project.create', 'project', {}, { id: 'p' })).toBeNull()
})

it('waits no longer than was said, and then says what it still is', async () => {
  const still = await patiently(0.2, async () => ({ still: 'web is still starting' })).catch((error) => error)
  expect(still).toBeInstanceOf(Failure)
  expect(still).toMatchObject({ exit: 'timedOut', message: 'web is still starting after 0.2 seconds.' })
  let looks = 0
  expect(await patiently(5, async () => (++looks > 2 ? { settled: looks } : { still: '' }))).toBe(3)
})
