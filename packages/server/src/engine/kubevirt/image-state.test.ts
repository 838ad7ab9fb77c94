import { describe, expect, it } from 'vitest'
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

describe('an image of ours in a cluster', () => {
  it('is ready only once it was marked whole and the cluster had taken it', () => {
    const marked = { [mark.uploaded]: 'f'.repeat(64) }
    expect(imageStateOf(ours, volume(succeeded, marked), false)).toEqual({ state: 'ready' })
    // What was cut in the middle may have succeeded as well.
    expect(imageStateOf(ours, volume(succeeded, upload(1)), false).state).toBe('coming')
    expect(imageStateOf(ours, volume({ phase: 'UploadReady' }, marked), false).state).toBe('coming')
    expect(isUploaded(volume(succeeded, marked, true))).toBe(false)
  })

  it('is coming while its upload shows life, and says what to do when it does not', () => {
    const seen = volume({ phase: 'UploadReady' }, upload(0.25))
    expect(imageStateOf(ours, seen, false)).toEqual({
      state: 'coming',
      progress: 0.25,
      what: 'Uploading the Starter Linux image',
    })
    expect(imageStateOf(ours, seen, true)).toEqual({
      state: 'unavailable',
      reason:
        'The upload of the Starter Linux image was interrupted. An operator can upload it with: npm run images -- --upload starter',
    })
  })

  it('is absent where its object is missing or going, or its claim is lost', () => {
    expect(imageStateOf(ours, null, false).state).toBe('absent')
    expect(imageStateOf(ours, volume(succeeded, {}, true), false).state).toBe('absent')
    const lost: Status = {
      phase: 'Succeeded',
      conditions: [{ type: 'Bound', status: 'False', reason: 'NotFound' }],
    }
    expect(imageStateOf(ours, volume(lost, { [mark.uploaded]: 'f' }), false).state).toBe('absent')
  })

  it('tells no progress that somebody wrote by hand', () => {
    for (const text of [undefined, '', 'x', 'null', '{}', '{"run":1,"beat":2,"fraction":3}'])
      expect(readUpload(text)).toBeNull()
    expect(readUpload('{"run":"a","beat":2,"fraction":7}')?.fraction).toBe(1)
  })
})

describe('a foreign image in a cluster', () => {
  it('is coming with its progress, and with the trouble the importer has', () => {
    expect(imageStateOf(foreign, volume({ phase: 'ImportInProgress', progress: '42.50%' }), false)).toEqual({
      state: 'coming',
      progress: 0.425,
      what: 'Downloading the image from example.com',
    })
    expect(imageStateOf(foreign, volume(importing('got 404', 1)), false)).toMatchObject({
      state: 'coming',
      what: 'Downloading the image from example.com (trying again: got 404)',
    })
  })

  it('is ready, or unavailable with the reason', () => {
    expect(imageStateOf(foreign, volume(succeeded), false)).toEqual({ state: 'ready' })
    expect(imageStateOf(foreign, volume(importing('got 404', 5)), false)).toEqual({
      state: 'unavailable',
      reason: 'The image could not be downloaded from example.com: got 404.',
    })
    const quota: Status = {
      phase: 'Pending',
      conditions: [{ type: 'Bound', status: 'False', reason: 'ErrExceededQuota' }],
    }
    expect(imageStateOf(foreign, volume(quota), false)).toEqual({
      state: 'unavailable',
      reason: 'The quota for boot images in the cluster is used up.',
    })
  })

  it('is fetched again into a larger claim when its content turns out larger', () => {
    const said = 'virtual image size 5368709120 is larger than the reported available storage 1073741824'
    expect(imageStateOf(foreign, volume(importing(said, 1)), false)).toEqual({
      state: 'too-small',
      bytes: 5368709120,
    })
  })
})
