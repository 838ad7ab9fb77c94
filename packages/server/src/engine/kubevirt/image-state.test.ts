import { expect, test } from 'vitest'
import { imageStateOf, isUploaded, readUpload } from './image-state.ts'
import type { DataVolume } from './kinds.ts'
import { mark } from './names.ts'

const ours = { key: 'starter-0', name: 'Starter Linux', address: null, recipeId: 'starter' }
const foreign = { key: 'ab', name: 'example.com', address: 'https://example.com/a', recipeId: '' }
type Status = NonNullable<DataVolume['status']>

const volume = (status: Status | null, annotations: Record<string, string> = {}, isGoing = false) => ({
  status,
  annotations,
  isGoing,
})
const succeeded: Status = { phase: 'Succeeded' }
const importing = (message: string, restartCount: number): Status => ({
  phase: 'ImportInProgress',
  restartCount,
  progress: '42.50%',
  conditions: [{ type: 'Running', status: 'False', reason: 'Error', message }],
})
const upload = (fraction: number) => ({ [mark.upload]: JSON.stringify({ run: 'r', beat: 3, fraction }) })

const unbound = (phase: string, reason: string): Status => ({
  phase,
  conditions: [{ type: 'Bound', status: 'False', reason }],
})
const tooSmall = 'virtual image size 5368709120 is larger than the reported available storage 1073741824'
const marked = { [mark.uploaded]: 'f'.repeat(64) }
const is = (state: string) => expect.objectContaining({ state })
const unavailable = (reason: string) => ({ state: 'unavailable', reason })
const coming = (progress: number, what: string) => ({ state: 'coming', progress, what })

test.each<[string, ReturnType<typeof volume> | null, isStill: boolean, object]>([
  ['is ready once it is whole and taken', volume(succeeded, marked), false, { state: 'ready' }],
  ['is coming although what was cut has succeeded', volume(succeeded, upload(1)), false, is('coming')],
  ['is coming until the cluster has taken it', volume({ phase: 'UploadReady' }, marked), false, is('coming')],
  [
    'is coming while its upload shows life',
    volume({ phase: 'UploadReady' }, upload(0.25)),
    false,
    coming(0.25, 'Uploading the Starter Linux image'),
  ],
  [
    'says what to do when it does not',
    volume({ phase: 'UploadReady' }, upload(0.25)),
    true,
    unavailable(
      'The upload of the Starter Linux image was interrupted. An operator can upload it with: npm run images -- --upload starter',
    ),
  ],
  ['is absent where its object is missing', null, false, is('absent')],
  ['is absent where its object is going', volume(succeeded, {}, true), false, is('absent')],
  [
    'is absent where its claim is lost',
    volume(unbound('Succeeded', 'NotFound'), marked),
    false,
    is('absent'),
  ],
])('an image of ours in a cluster %s', (_, seen, isStill, state) => {
  expect(imageStateOf(ours, seen, isStill)).toEqual(state)
})

test.each<[string, Status, object]>([
  ['is ready', succeeded, { state: 'ready' }],
  [
    'is coming with its progress',
    { phase: 'ImportInProgress', progress: '42.50%' },
    coming(0.425, 'Downloading the image from example.com'),
  ],
  [
    'is coming with the trouble the importer has',
    importing('got 404', 1),
    coming(0.425, 'Downloading the image from example.com (trying again: got 404)'),
  ],
  [
    'is unavailable with the reason',
    importing('got 404', 5),
    unavailable('The image could not be downloaded from example.com: got 404.'),
  ],
  [
    'is unavailable over the quota',
    unbound('Pending', 'ErrExceededQuota'),
    unavailable('The quota for boot images in the cluster is used up.'),
  ],
  ['is fetched again into a larger claim', importing(tooSmall, 1), { state: 'too-small', bytes: 5368709120 }],
])('a foreign image in a cluster %s', (_, status, state) => {
  expect(imageStateOf(foreign, volume(status), false)).toEqual(state)
})

test('an image of ours that is going is not there, and nobody believes progress written by hand', () => {
  expect(isUploaded(volume(succeeded, marked, true))).toBe(false)
  for (const text of [undefined, '', 'x', 'null', '{}', '{"run":1,"beat":2,"fraction":3}'])
    expect(readUpload(text)).toBeNull()
  expect(readUpload('{"run":"a","beat":2,"fraction":7}')?.fraction).toBe(1)
})
