import { describe, expect, test } from 'vitest'
import { isGiven, requestFor, sizeOfClaim } from './claim-size.ts'
import type { Claim } from './kinds.ts'
import { mark } from './names.ts'

const GIB = 2 ** 30
const claim = (storage: string, diskBytes?: number): Pick<Claim, 'metadata' | 'spec'> => ({
  metadata: {
    name: 'disk-a',
    ...(diskBytes !== undefined && { annotations: { [mark.size]: String(diskBytes) } }),
  },
  spec: { resources: { requests: { storage } } },
})

describe('a claim', () => {
  test.each<[string, string, Pick<Claim, 'metadata' | 'spec'>, { requested: number; diskBytes: number }]>([
    ['that was made for its disk', '10Gi', claim('10Gi'), { requested: 10 * GIB, diskBytes: 10 * GIB }],
    ['with room for a file system', '10Gi', claim('11Gi'), { requested: 11 * GIB, diskBytes: 10 * GIB }],
    ['that was enlarged', '10Gi', claim('22Gi', 20 * GIB), { requested: 22 * GIB, diskBytes: 20 * GIB }],
    [
      'of a snapshot that was taken when the disk was smaller',
      '20Gi',
      claim('10Gi'),
      { requested: 10 * GIB, diskBytes: 10 * GIB },
    ],
    [
      'of a snapshot that was taken between two enlargements',
      '10Gi',
      claim('16500Mi', 15 * GIB),
      { requested: 16_500 * 2 ** 20, diskBytes: 15 * GIB },
    ],
  ])('%s says how large its disk is', (_, requested, one, size) => {
    expect(sizeOfClaim({ requested }, one)).toEqual(size)
  })

  test('asks for just the size of its disk where that is all it holds, and never for less than it has', () => {
    const has = { requested: 10 * GIB, diskBytes: 10 * GIB }
    expect(requestFor(has, 'Block', 12 * GIB)).toBe(12 * GIB)
    expect(requestFor(has, 'Filesystem', 12 * GIB)).toBe(12 * GIB)
    expect(requestFor({ ...has, requested: 14 * GIB }, 'Block', 12 * GIB)).toBe(14 * GIB)
    expect(requestFor({ requested: GIB, diskBytes: 0 }, 'Filesystem', 2 * GIB)).toBe(2 * GIB)
  })

  test('asks for as much more as it has now, in whole MiB, where a file system needs room', () => {
    const has = { requested: 10.58 * GIB, diskBytes: 10 * GIB }
    const asked = requestFor(has, 'Filesystem', 20 * GIB)
    expect(asked / GIB).toBeCloseTo(21.16, 2)
    expect(asked % 2 ** 20).toBe(0)
    expect(requestFor({ requested: asked, diskBytes: 20 * GIB }, undefined, 10 * GIB)).toBe(asked)
  })

  test.each<[string, Claim['status'], boolean, boolean]>([
    ['nothing is said', undefined, false, false],
    ['it has less', { capacity: { storage: '10Gi' } }, false, false],
    ['it has as much', { capacity: { storage: '20Gi' } }, true, true],
    ['it has more', { capacity: { storage: '32Gi' } }, true, true],
    ['the last step waits for a guest, and none has it', pending('True'), false, true],
    ['the last step is under way below a guest', pending('True'), true, false],
    ['the last step is over and it has less', pending('False'), false, false],
    ['the last step of that size waits', { ...pending('True'), ...allocated('20Gi') }, false, true],
    ['the last step of a smaller size waits', { ...pending('True'), ...allocated('15Gi') }, false, false],
    ['it has no place yet, as after a restore', { phase: 'Pending' }, false, true],
    ['its place is lost', { phase: 'Lost' }, false, false],
  ])('has been given what it asks for or not, when %s', (_, status, hasGuest, given) => {
    expect(isGiven(status, 20 * GIB, hasGuest)).toBe(given)
  })
})

const allocated = (storage: string) => ({ allocatedResources: { storage } })

function pending(status: 'True' | 'False'): Claim['status'] {
  return { capacity: { storage: '10Gi' }, conditions: [{ type: 'FileSystemResizePending', status }] }
}
