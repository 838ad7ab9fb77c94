import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { chooseAccelerator } from './accelerator.ts'

const noKernel = () => Promise.reject(new Error('Nothing has to be tried out'))

test('what runs guest code is found out unless the operator says it', () => {
  expect(readConfig({}).accelerator).toBe('auto')
  expect(readConfig({ SLIPWAY_ACCELERATOR: 'kvm' }).accelerator).toBe('kvm')
  expect(() => readConfig({ SLIPWAY_ACCELERATOR: 'xen' })).toThrow('SLIPWAY_ACCELERATOR')
})

test('translation is taken without trying anything out', async () => {
  expect(await chooseAccelerator('tcg', tmpdir(), noKernel)).toMatchObject({
    kind: 'TCG',
    reason: expect.stringContaining('SLIPWAY_ACCELERATOR is tcg'),
  })
})

test('a host that offers no KVM is not started with it, and the sentence says what to do', async () => {
  await expect(chooseAccelerator('kvm', tmpdir(), noKernel, '/dev/kvm-that-is-not-there')).rejects.toThrow(
    /no KVM device .*set SLIPWAY_ACCELERATOR to auto or tcg/,
  )
})
