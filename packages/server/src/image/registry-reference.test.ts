import { expect, it } from 'vitest'
import { parseReference } from './registry-reference.ts'

const digest = `sha256:${'a'.repeat(64)}`
const hub = 'registry-1.docker.io'

it.each([
  ['alpine', hub, 'library/alpine', 'latest'],
  ['alpine:3.20', hub, 'library/alpine', '3.20'],
  ['docker.io/alpine:3.20', hub, 'library/alpine', '3.20'],
  ['docker.io/library/alpine', hub, 'library/alpine', 'latest'],
  ['ada/tool', hub, 'ada/tool', 'latest'],
  ['quay.io/containerdisks/fedora:40', 'quay.io', 'containerdisks/fedora', '40'],
  ['localhost/x', 'localhost', 'x', 'latest'],
  ['127.0.0.1:5000/a/b/c:v1', '127.0.0.1:5000', 'a/b/c', 'v1'],
  ['registry.example.com/a/b__c.d-e', 'registry.example.com', 'a/b__c.d-e', 'latest'],
  [`ghcr.io/a/b@${digest}`, 'ghcr.io', 'a/b', digest],
  [`ghcr.io/a/b:1@${digest}`, 'ghcr.io', 'a/b', digest],
])('the image name %s is read as Docker reads it', (image, registry, repository, version) => {
  expect(parseReference(image)).toEqual({ registry, repository, version })
})

it.each([
  '',
  '-v',
  '--help',
  'dir:/etc',
  'docker-archive:/tmp/a.tar',
  'oci:/tmp/layout:x',
  'docker://alpine',
  'https://quay.io/a/b',
  'quay.io/../../etc',
  'quay.io//a',
  'quay.io/A/b',
  'quay.io/a/b?x=1',
  'quay.io/a/b#x',
  'quay.io/a/b:bad tag',
  'quay.io/a/b:',
  'user:secret@quay.io/a',
  'quay.io/a@sha256:short',
  'quay.io:port/a',
  '-quay.io/a',
  'a'.repeat(256),
])('%j is no image name', (image) => {
  expect(() => parseReference(image)).toThrow('Enter the name of a container image')
})
