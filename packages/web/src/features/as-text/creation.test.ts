import { execFileSync } from 'node:child_process'
import { type Disk, endpoints, ProjectFile, type Vm } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Creation, commandOf, fileOf, isForPrograms, requestOf } from './creation.ts'

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

  it('has the id of what has a name like a flag', () => {
    const creation: Creation = {
      call: 'vm.fork',
      project,
      params: { vmId: 'v-1' },
      body: { name: '-x', count: 1 },
      named: [{ id: 'v-1', name: '-rf' }],
    }
    expect(wordsOf(commandOf(creation)).slice(0, 3)).toEqual(['vm', 'fork', 'v-1'])
  })

  it.each([
    ['data.qcow2', 'data.qcow2'],
    ['-a b.img', './-a b.img'],
  ])('sends the file %s whole', (file_name, path) => {
    const body = { name: 'data', size: '10GB', file_name, file_bytes: 7, sha256: 'f'.repeat(64) }
    const creation: Creation = { call: 'upload.create', project, named, body }
    expect(wordsOf(commandOf(creation))).toEqual([
      ...['disk', 'upload', path, '--project', "Ada's shop", '--name', 'data', '--size', '10GB'],
    ])
    expect(fileOf(creation)).toBe('A project file holds no content of files. Use the command.')
  })

  it('says the project once', () => {
    expect(wordsOf(commandOf(vm({ project_id: 'p-1' }))).filter((one) => /^--project/.test(one))).toEqual([
      '--project',
    ])
  })

  it('keeps the lines of a start script', () => {
    const script = '#!/bin/sh\necho "it\'s"\n'
    expect(wordsOf(commandOf(vm({ start_script: script })))).toContain(script)
  })
})

const aVm = (more: Partial<Vm> = {}): Vm =>
  ({
    ...{
      name: 'web',
      template_name: 'Starter Linux',
      ssh_key_name: 'laptop',
      vmpool_id: null,
      vmset_id: null,
    },
    ...more,
  }) as Vm
const aDisk = (more: Partial<Disk> = {}): Disk =>
  ({ name: 'data', size: '10Gi', source: 'blank', image_url: null, deleted_with_vm: false, ...more }) as Disk

/** One of each kind that a form creates; what is called `x-1` is an id. */
const each: Creation[] = [
  vm({ share_ports: [80], disks: [{ disk_id: 'd-1' }], project_id: 'p-1' }),
  { call: 'disk.create', project, named, body: { name: 'a', size: '10GB', source: 'EMPTY' } },
  { call: 'vmPool.create', project, named, body: { ...body, min_size: 1, max_size: 2, desired_size: 1 } },
  {
    call: 'vmSet.create',
    project,
    named,
    body: { ...body, replicas: 2, disks: [{ name: 'd', size: '1Gi' }] },
  },
  {
    call: 'vmSnapshot.create',
    project,
    named,
    params: { vmId: 'v-1' },
    body: { name: 's', retention_days: 7 },
  },
  { call: 'diskSnapshot.create', project, named, body: { name: 's', disk_id: 'd-1' } },
  {
    call: 'batch.create',
    project,
    named,
    body: { action: 'vmSnapshot.create', ids: ['v-1', 'v-2'], name: '{name}', retention_days: 7 },
  },
  {
    call: 'diskSnapshot.createDisk',
    project,
    named,
    params: { diskSnapshotId: 's-1' },
    body: { name: 'a', description: 'Created from snapshot: s', size_gb: 3 },
  },
  { call: 'vm.fork', project, named, params: { vmId: 'v-1' }, body: { name: 'web-copy', count: 2 } },
  {
    call: 'vmSnapshot.createVms',
    project,
    named,
    params: { snapshotId: 's-1' },
    body: { name: 'web-copy', count: 1 },
  },
  {
    call: 'share.create',
    project,
    named,
    params: { vmId: 'v-1' },
    body: { port: 80, kind: 'http', audience: 'link', expires_at: '2030-01-01T00:00:00.000Z' },
  },
  ...(['vm', 'disk'] as const).map(
    (kind): Creation => ({
      call: `${kind}SnapshotSchedule.set`,
      project,
      named,
      scheduled: kind === 'vm' ? aVm() : aDisk(),
      params: { [`${kind}Id`]: 'd-1' },
      body: {
        hourly: null,
        daily: { time: '03:00', keep: 7 },
        weekly: { weekday: 'sunday', time: '03:00', keep: 4 },
        time_zone: 'Europe/Berlin',
        paused: false,
        snapshot_type: kind === 'vm' ? 'disk' : 'full',
      },
    }),
  ),
  {
    call: 'webhook.create',
    project,
    named,
    body: {
      url: 'https://hooks.example.com/a?b=c',
      description: '',
      objects: ['vm', 'disk'],
      kinds: null,
      actions: ['vm.start'],
    },
  },
  { call: 'projectMember.invite', project, named, body: { email: 'ada@example.com', role: 'viewer' } },
  { call: 'project.create', project: null, named, body: { name: "Ada's", description: 'Brass: steam' } },
  {
    call: 'sshKey.create',
    project: null,
    named,
    body: { key_name: 'laptop', ssh_public_key: `ssh-ed25519 ${'A'.repeat(68)} ada`, is_default: false },
  },
  {
    call: 'upload.create',
    project,
    named,
    body: { name: 'a', size: '1GB', file_name: 'a.img', file_bytes: 9 },
  },
  {
    call: 'apiToken.create',
    project: null,
    named,
    body: { name: 'nas', access: 'read', project_ids: ['p-1'], expires_in_days: 30 },
  },
  {
    call: 'template.create',
    project: null,
    named,
    body: { name: 'Wiki', description: 'It writes', default_cpu: 2, image_url: '', start_script: undefined },
  },
]
const forPrograms = each.filter(({ call }) => isForPrograms(call))
const kinds = (creations: readonly Creation[]) => creations.map((one) => [one.call, one] as const)

const endpointOf = ({ call }: Creation) => {
  const endpoint = endpoints.find(({ id }) => id === call)
  if (!endpoint) throw new Error(call)
  return endpoint
}

describe('each kind', () => {
  it('is tried here that the API can create, but for what takes a device', () => {
    const creates = /^(?!passkey).*\.(create\w*|fork|invite)$|Schedule\.set$/
    const ids = endpoints.map(({ id }) => id).filter((id) => creates.test(id))
    expect(each.map(({ call }) => call).sort()).toEqual(ids.sort())
  })

  it.each(kinds(each))('%s has a key in its request only if the call takes one', (_, creation) => {
    const words = wordsOf(requestOf(creation, 'https://vms.example.com'))
    expect(words.includes('Idempotency-Key: key')).toBe(endpointOf(creation).idempotent === true)
  })

  it.each(kinds(forPrograms))('%s has flags that its call has as fields, each once', (_, creation) => {
    const { body } = endpointOf(creation)
    const schema = z.toJSONSchema(body ?? z.never(), { io: 'input', unrepresentable: 'any' })
    const forms = [schema, ...(schema.oneOf ?? [])].map((form) => Object.keys(Object(form).properties ?? {}))
    const flags = wordsOf(commandOf(creation)).filter((one) => one.startsWith('--') && one !== '--project')
    expect(flags).not.toEqual([])
    expect(new Set(flags).size).toBe(flags.length)
    expect(forms.flat()).toEqual(expect.arrayContaining(flags.map((flag) => flag.replace(/^--(no-)?/, ''))))
  })

  it.each(kinds(forPrograms))('%s is in a file, or the file says why it is not', (_, creation) => {
    const file = fileOf(creation)
    if (typeof file === 'string')
      expect(file).toMatch(/^A project file .* Use the command( or the request)?\.$/)
    else expect(ProjectFile.safeParse(file).error).toBeUndefined()
  })
})

describe('what only a person may create', () => {
  const onlyForPersons = each.filter(({ call }) => !isForPrograms(call))

  it('is what lets somebody in, and what is the operator’s', () => {
    expect(onlyForPersons.map(({ call }) => call)).toEqual([
      'projectMember.invite',
      'sshKey.create',
      'apiToken.create',
      'template.create',
    ])
  })

  it.each(kinds(onlyForPersons))('%s is a request of a session, and in no file', (_, creation) => {
    const words = wordsOf(requestOf(creation, ''))
    expect(words).toContain('cookies.txt')
    expect(words.join()).not.toContain('Bearer')
    expect(fileOf(creation)).toMatch(/^A project file holds no .* Use the request\.$/)
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

  it('is a project', () => {
    const creation: Creation = {
      call: 'project.create',
      project: null,
      named,
      body: { name: 'Looms', description: '' },
    }
    expect(fileOf(creation)).toEqual({ slipway: 1, project: 'Looms' })
  })

  it.each([
    ['', 'hooks.example.com:8443'],
    ['chat', 'chat'],
  ])('has a webhook with the description "%s" by the name that it goes by', (description, name) => {
    const url = 'https://hooks.example.com:8443/a'
    const body = { url, description, objects: ['vm'], kinds: null, actions: null }
    expect(fileOf({ call: 'webhook.create', project, named, body })).toEqual({
      slipway: 1,
      project: project.name,
      webhooks: { [name]: { url, objects: ['vm'] } },
    })
  })

  describe('of a snapshot schedule', () => {
    const of = (scheduled: Vm | Disk): Creation => ({
      call: 'deleted_with_vm' in scheduled ? 'diskSnapshotSchedule.set' : 'vmSnapshotSchedule.set',
      project,
      named,
      scheduled,
      body: {
        hourly: null,
        daily: { time: '03:00', keep: 7 },
        weekly: null,
        time_zone: 'UTC',
        paused: false,
      },
    })
    const snapshot_schedule = { daily: { time: '03:00', keep: 7 }, time_zone: 'UTC' }

    it('has it in the entry of its VM', () => {
      expect(fileOf(of(aVm()))).toEqual({
        slipway: 1,
        project: project.name,
        vms: { web: { template: 'Starter Linux', ssh_key: 'laptop', snapshot_schedule } },
      })
    })

    it.each([
      [aDisk(), { source: 'EMPTY' }],
      [aDisk({ source: 'snapshot' }), { source: 'EMPTY' }],
      [
        aDisk({ source: 'image', image_url: 'https://a.test/b.img' }),
        { source: 'HTTP', image_url: 'https://a.test/b.img' },
      ],
      [aDisk({ source: 'image', image_url: 'alpine:3' }), { source: 'REGISTRY', image_url: 'alpine:3' }],
    ])('has it in the entry of its disk, with what that was made of', (disk, source) => {
      const file = fileOf(of(disk))
      expect(file).toMatchObject({ disks: { data: { size: '10Gi', ...source, snapshot_schedule } } })
      expect(ProjectFile.safeParse(file).error).toBeUndefined()
    })

    it.each([
      [aVm({ vmpool_id: 'p' }), 'A project file holds pools and sets, but not each of their VMs.'],
      [aVm({ vmset_id: 's' }), 'A project file holds pools and sets, but not each of their VMs.'],
      [aDisk({ deleted_with_vm: true }), 'A project file holds no disks that are deleted with their VM.'],
    ])('says that it does not hold some', (scheduled, reason) => {
      expect(fileOf(of(scheduled))).toBe(`${reason} Use the command or the request.`)
    })
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
