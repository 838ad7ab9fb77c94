import { expect, test } from 'vitest'
import { machineSpec } from '../engine.test-kit.ts'
import { machineObject } from './machine-object.ts'
import { seedObject } from './machine-seed.ts'
import { makeNames, mark } from './names.ts'

const names = makeNames('slipway')
const spec = machineSpec('web-1', {
  ...{ id: 'b1', projectId: 'p1', cpu: 2, memoryMb: 512, sshPublicKeys: ['ssh-ed25519 AAAA me@home'] },
  volumeIds: ['0123456789abcdef0123456789', 'd2'],
})
const around = {
  endsAtReboot: true,
  image: { namespace: 'slipway-images', name: 'image-1', sizeBytes: 2 ** 30 },
  rootBytes: 20 * 2 ** 30,
  storageClass: null,
}

test('a machine is only run by us, has its size, and its disks in order', () => {
  const { metadata, spec: made } = machineObject(names, spec, around)
  expect(metadata).toMatchObject({ name: 'vm-b1', namespace: 'slipway-p1' })
  expect(metadata.annotations).not.toHaveProperty([mark.forgetful])
  expect(metadata.labels).toEqual(made.template.metadata?.labels)
  expect(made.runStrategy).toBe('Manual')
  const { domain, volumes, hostname, subdomain } = made.template.spec
  expect([hostname, subdomain]).toEqual(['web-1', 'vms'])
  expect(domain).toMatchObject({ cpu: { cores: 2 }, memory: { guest: '512Mi' } })
  expect(domain.rebootPolicy).toBeUndefined()
  expect(domain.devices.disks.map(({ name, serial }) => [name, serial])).toEqual([
    ['root', 'root'],
    ['seed', undefined],
    ['disk-0123456789abcdef0123456789', '0123456789abcdef0123'],
    ['disk-d2', 'd2'],
  ])
  expect(volumes.map(({ name }) => name)).toEqual(domain.devices.disks.map(({ name }) => name))
})

test('its root disk is copied from the image, and as large as either wants it', () => {
  const storageOf = (more: Partial<typeof around>) =>
    machineObject(names, spec, { ...around, ...more }).spec.dataVolumeTemplates?.[0]
  expect(storageOf({})).toEqual({
    metadata: { name: 'vm-b1-root', labels: names.labels('root-disk', 'b1', 'p1') },
    spec: {
      source: { pvc: { namespace: 'slipway-images', name: 'image-1' } },
      storage: { resources: { requests: { storage: '20Gi' } } },
    },
  })
  expect(storageOf({ rootBytes: 1 })?.spec.storage.resources?.requests.storage).toBe('1Gi')
})

test('a reboot ends the run of a machine that keeps nothing', () => {
  const { metadata, spec: made } = machineObject(names, { ...spec, persistent: false }, around)
  expect(made.template.spec.domain.rebootPolicy).toBe('Terminate')
  expect(metadata.annotations).toMatchObject({ [mark.forgetful]: 'true' })
  // KubeVirt refuses the whole machine where it cannot do so.
  const unable = machineObject(names, { ...spec, persistent: false }, { ...around, endsAtReboot: false })
  expect(unable.spec.template.spec.domain).not.toHaveProperty('rebootPolicy')
})

test('its seed is the one of every engine, found by its label, and goes with the machine', () => {
  const seed = seedObject(names, spec, { name: 'vm-b1', uid: 'u1' })
  const { volumes } = machineObject(names, spec, around).spec.template.spec
  expect(volumes).toContainEqual({
    name: 'seed',
    secret: { secretName: seed.metadata.name, volumeLabel: 'cidata' },
  })
  expect(seed.metadata.ownerReferences).toEqual([
    { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'vm-b1', uid: 'u1', controller: true },
  ])
  expect(Object.keys(seed.stringData ?? {})).toEqual(['meta-data', 'user-data'])
  expect(seed.stringData?.['meta-data']).toContain('ssh-ed25519 AAAA me@home')
})
