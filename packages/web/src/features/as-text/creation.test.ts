import { execFileSync } from 'node:child_process'
import { ProjectFile } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { type Creation, commandOf, fileOf, requestOf } from './creation.ts'

const named = [
  { id: 't-1', name: 'Starter Linux' },
  { id: 'k-1', name: 'laptop' },
  { id: 'd-1', name: 'data' },
  { id: 'd-2', name: 'twin' },
  { id: 'd-3', name: 'twin' },
]
const project = { id: 'p-1', name: "Ada's shop" }
const body = { name: 'web', template_id: 't-1', ssh_key_id: 'k-1', persistent: true }
const vm = (more: object = {}): Creation => ({
  call: 'vm.create',
  project,
  body: { ...body, ...more },
  named,
})

/** What a shell makes of a command. */
function wordsOf(command: string): string[] {
  const script = `uuidgen() { echo key; }; for name in curl slipway; do eval "$name() { printf '%s\\0' \\"\\$@\\"; }"; done\nSLIPWAY_TOKEN=token\n${command}`
  return execFileSync('sh', ['-eu', '-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

describe('a request', () => {
  it('has the body as the form sends it', () => {
    const words = wordsOf(requestOf(vm({ note: `it's $HOME` }), 'https://vms.example.com'))
    expect(words).toEqual([
      ...['-X', 'POST', '-H', 'Authorization: Bearer token', '-H', 'Idempotency-Key: key'],
      ...['-H', 'Content-Type: application/json', '-d', JSON.stringify({ ...body, note: `it's $HOME` })],
      'https://vms.example.com/api/projects/p-1/vms',
    ])
  })
})

describe('a command', () => {
  it('has names in place of ids, and a flag for each field', () => {
    const creation = vm({ persistent: false, share_ports: [80, 443], disks: [{ disk_id: 'd-1' }], note: '' })
    expect(wordsOf(commandOf(creation))).toEqual([
      ...['vm', 'create', '--project', "Ada's shop", '--name', 'web', '--template_id', 'Starter Linux'],
      ...['--ssh_key_id', 'laptop', '--no-persistent', '--share_ports', '80,443'],
      ...['--disks', '[{"disk_id":"d-1"}]'],
    ])
  })

  it('keeps ids of names that several have, and what begins like a flag', () => {
    const creation: Creation = {
      call: 'diskSnapshot.create',
      project,
      body: { name: '-x', disk_id: 'd-2' },
      named,
    }
    expect(wordsOf(commandOf(creation))).toEqual([
      ...['disk-snapshot', 'create', '--project', "Ada's shop", '--name', '-x', '--disk_id', 'd-2'],
    ])
  })

  it('names first what it is about', () => {
    const creation: Creation = {
      call: 'vmSnapshot.create',
      project,
      params: { vmId: 'd-1' },
      body: { name: 's' },
      named,
    }
    expect(wordsOf(commandOf(creation)).slice(0, 3)).toEqual(['vm-snapshot', 'create', 'data'])
    expect(requestOf(creation, '')).toContain('/api/projects/p-1/vms/d-1/snapshots"')
  })

  it('keeps the lines of a start script', () => {
    const script = '#!/bin/sh\necho "it\'s"\n'
    expect(wordsOf(commandOf(vm({ start_script: script })))).toContain(script)
  })
})

describe('what belongs to no project', () => {
  const template: Creation = {
    call: 'template.create',
    project: null,
    named: [],
    body: { name: 'Wiki', description: 'It writes', default_cpu: 2, image_url: '', start_script: undefined },
  }

  it('is created without one', () => {
    expect(wordsOf(commandOf(template))).toEqual([
      ...['template', 'create', '--name', 'Wiki', '--description', 'It writes', '--default_cpu', '2'],
    ])
    expect(requestOf(template, '')).toContain('/api/')
    expect(requestOf(template, '')).not.toContain('project')
    expect(fileOf(template)).toBe('A project file holds no templates. Use the command or the request.')
  })
})

describe('a file', () => {
  it.each([
    ['a VM', vm({ disks: [{ disk_id: 'd-1' }], share_ports: [80] })],
    ['a disk', { call: 'disk.create', project, named, body: { name: 'a', size: '10GB', source: 'EMPTY' } }],
    [
      'a pool',
      {
        call: 'vmPool.create',
        project,
        named,
        body: {
          ...body,
          snapshot_id: null,
          min_size: 1,
          max_size: 2,
          desired_size: 1,
          auto_scaling: true,
          description: '',
          cpu: 4,
          memory_mb: 2048,
          root_disk_gb: 30,
          disks: [{ name: 'd', size: '1Gi', source: 'EMPTY' }],
        },
      },
    ],
    [
      'a set',
      { call: 'vmSet.create', project, named, body: { ...body, snapshot_id: null, replicas: 2, cpu: 4 } },
    ],
  ] satisfies [string, Creation][])('holds %s as it can be applied', (_, creation) => {
    const file = fileOf(creation)
    expect(ProjectFile.safeParse(file).error).toBeUndefined()
    expect(JSON.stringify(file)).not.toMatch(/_id|-1"/)
  })

  it.each([
    ['a snapshot', { call: 'vmSnapshot.create', project, named, body: { name: 'a', vm_id: 'v' } }],
    [
      'a disk from a snapshot',
      { call: 'disk.create', project, named, body: { name: 'a', source: 'SNAPSHOT' } },
    ],
    [
      'a set made of a snapshot',
      { call: 'vmSet.create', project, named, body: { ...body, snapshot_id: 's' } },
    ],
  ] satisfies [string, Creation][])('says that it cannot hold %s', (_, creation) => {
    expect(fileOf(creation)).toMatch(/^A project file .* Use the command or the request\.$/)
  })
})
