import { describe, expect, test } from 'vitest'
import type { Condition } from './kinds.ts'
import { mark } from './names.ts'
import { hasPlace, lossOf, makingOf, sizeOf } from './volume-state.ts'

const bound = (status: Condition['status'], reason: string): Condition => ({ type: 'Bound', status, reason })
const notRunning = (message: string, reason = 'Error'): Condition => ({
  type: 'Running',
  status: 'False',
  reason,
  message,
})
const http404 = 'Unable to connect to http data source: expected status code 200, got 404.'

describe('a volume', () => {
  const coming = { is: 'coming', progress: null, trouble: null }
  const phases = ['Pending', 'ImportScheduled', 'ImportInProgress', 'CloneFromSnapshotSourceInProgress']
  test.each([...phases, 'PendingPopulation', 'Unset', 'Unknown', ''])(
    'is on its way while CDI says %s',
    (phase) => {
      expect(makingOf({ phase })).toEqual(coming)
    },
  )

  test('is on its way before CDI says anything', () => {
    expect(makingOf(null)).toEqual(coming)
  })

  test.each([
    ['42.50%', 0.425],
    ['100.0%', 1],
    ['N/A', null],
    ['', null],
  ])('has come as far as %s says', (progress, fraction) => {
    expect(makingOf({ phase: 'ImportInProgress', progress })).toMatchObject({ progress: fraction })
  })

  test.each(['Succeeded', 'WaitForFirstConsumer'])('is whole when CDI says %s', (phase) => {
    expect(makingOf({ phase, conditions: [notRunning('Import Complete', 'Completed')] })).toEqual({
      is: 'whole',
    })
  })

  const importing = (restartCount: number, one: Condition) => ({
    phase: 'ImportInProgress',
    restartCount,
    conditions: [one],
  })
  const withKeys = 'Get "https://me:secret@a.example/x.qcow2?key=secret": EOF'
  const larger = [
    'Unable to process data: Unable to convert source data to target format: virtual image size 52949672960 is larger than the reported available storage 42949672960. A larger PVC is required',
    'Virtual image size 52949672960 is larger than available size 4058744094 (PVC size 4294967296, reserved overhead 0.055000%). A larger PVC is required.',
  ]
  const tooSmall = (bytes: number | null) => ({ is: 'failed', because: 'too-small', bytes })
  const bySource = (why: string) => ({ is: 'failed', because: 'source', why })
  test.each<[string, Parameters<typeof makingOf>[0], object]>([
    ['has trouble after a try', importing(1, notRunning(http404)), { ...coming, trouble: http404 }],
    ['has failed after a few, although CDI goes on', importing(3, notRunning(http404)), bySource(http404)],
    [
      'has not failed while its importer runs again',
      importing(4, { type: 'Running', status: 'True', reason: 'Pod is running' }),
      coming,
    ],
    [
      'has failed when CDI gives up, and keys in an address do not show',
      { phase: 'Failed', conditions: [notRunning(withKeys)] },
      bySource('Get "https://a.example/x.qcow2": EOF'),
    ],
    ...larger.map((said): [string, Parameters<typeof makingOf>[0], object] => [
      'says how large it has to be when the content is larger, at the first try',
      importing(1, notRunning(said)),
      tooSmall(52949672960),
    ]),
    [
      'is too small for its content also where CDI keeps the size for its events',
      importing(1, notRunning('DataVolume too small to contain image')),
      tooSmall(null),
    ],
    [
      'has failed when the quota of its project is used up',
      { phase: 'Pending', conditions: [bound('False', 'ErrExceededQuota')] },
      expect.objectContaining({ is: 'failed', because: 'quota' }),
    ],
  ])('%s', (_, status, making) => {
    expect(makingOf(status)).toEqual(making)
  })

  test('is lost with its claim, and only then', () => {
    const phase = 'Succeeded'
    expect(lossOf({ phase, conditions: [bound('False', 'NotFound')] })).toMatch(/^The cluster .*\.$/)
    expect(lossOf({ phase: 'Pending', conditions: [bound('False', 'NotFound')] })).toBe(null)
    expect(lossOf({ phase, conditions: [bound('False', 'Pending')] })).toBe(null)
    expect(lossOf({ phase, conditions: [bound('True', 'Bound')] })).toBe(null)
    expect(lossOf(null)).toBe(null)
  })

  test('was whole and is lost, not half-made, when its claim has lost what it held', () => {
    const lost = { phase: 'Failed', conditions: [bound('False', 'ClaimLost')] }
    expect(makingOf(lost)).toEqual({ is: 'whole' })
    expect(lossOf(lost)).toMatch(/^The cluster .*\.$/)
  })

  test.each([
    ['Pending', 'False', false],
    ['PendingPopulation', 'False', false],
    ['CloneScheduled', 'False', false],
    ['CloneFromSnapshotSourceInProgress', 'False', false],
    ['CloneFromSnapshotSourceInProgress', 'True', true],
    ['ImportScheduled', 'False', true],
    ['ImportInProgress', 'False', true],
    ['UploadReady', 'False', true],
    ['Succeeded', 'True', true],
  ] as const)('has a place in phase %s while its claim is bound: %s: %s', (phase, status, has) => {
    expect(hasPlace({ phase, conditions: [bound(status, 'Pending')] })).toBe(has)
  })
})

test.each<[string, Record<string, string>, number]>([
  ['as it was made', {}, 2 ** 30],
  ['what it became since', { [mark.size]: '3221225472' }, 3 * 2 ** 30],
  ['as it was made, where somebody wrote nonsense', { [mark.size]: 'huge' }, 2 ** 30],
])('the size of a volume is %s', (_, annotations, bytes) => {
  expect(sizeOf({ requested: '1Gi', annotations })).toBe(bytes)
  expect(sizeOf(null)).toBe(0)
})
