import { describe, expect, test } from 'vitest'
import { importerPolicy, makeForeignSources, registryOf } from './foreign-sources.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { makeNames } from './names.ts'

/** No address that is refused may reach the cluster. */
const nobody = {} as KubeClient
const limits = { maxImageBytes: 2 ** 30, maxVirtualBytes: 2 ** 40 }
const sources = (privateSources: string[] = []) =>
  makeForeignSources({ client: nobody, names: makeNames('slipway') }, { ...limits, privateSources })
const { signal } = new AbortController()

describe('before the cluster fetches', () => {
  test.each([
    'http://127.0.0.1/disk.qcow2',
    'http://localhost/disk.qcow2',
    'ftp://example.org/disk.qcow2',
    'https://me:secret@example.org/disk.qcow2',
  ])('%s is refused', async (address) => {
    await expect(sources().url(address, signal)).rejects.toMatchObject({ code: 'source-refused' })
  })

  test.each(['10.0.0.1:5000/a/b:1', 'localhost:5000/a', '127.0.0.1/a', '[::1]:5000/a'])(
    'a container image at %s is refused',
    async (image) => {
      await expect(sources().registry(image, signal)).rejects.toMatchObject({ code: 'source-refused' })
    },
  )

  test('a registry that the operator lists is asked', async () => {
    expect(await sources(['10.0.0.0/8']).registry('10.0.0.1:5000/a:1', signal)).toBe(
      'docker://10.0.0.1:5000/a:1',
    )
  })
})

test('an image without a host is at Docker Hub', () => {
  expect(registryOf('debian:13')).toBe('registry-1.docker.io')
  expect(registryOf('library/debian')).toBe('registry-1.docker.io')
  expect(registryOf('quay.io/containerdisks/debian:13')).toBe('quay.io')
  expect(registryOf('localhost/debian')).toBe('localhost')
})

test('importers reach the public Internet, DNS and what is listed by address', () => {
  const { podSelector, egress } = importerPolicy([
    '10.1.2.3',
    '192.168.7.0/24',
    'fd00::1',
    'mirror.example.org',
  ])
  expect(podSelector).toEqual({ matchLabels: { 'cdi.kubevirt.io': 'importer' } })
  const text = JSON.stringify(egress)
  for (const cidr of ['10.1.2.3/32', '192.168.7.0/24', 'fd00::1/128'])
    expect(text).toContain(`{"cidr":"${cidr}"}`)
  expect(text).toContain('"169.254.0.0/16"')
  // OpenShift's name servers listen there.
  expect(egress).toContainEqual({ ports: expect.arrayContaining([{ protocol: 'UDP', port: 5353 }]) })
  expect(text).not.toContain('mirror.example.org')
})
