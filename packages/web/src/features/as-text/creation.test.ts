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
const creation = (
  call: Creation['call'],
  body: Creation['body'],
  more: Partial<Creation> = {},
): Creation => ({ call, project, named, body, ...more })
const vm = (more: object = {}) => creation('vm.create', { ...body, ...more })

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
    const asked = vm({ persistent: false, share_ports: [80, 443], disks: [{ disk_id: 'd-1' }], note: '' })
    expect(wordsOf(commandOf(asked))).toEqual([
      ...['vm', 'create', '--project', "Ada's shop", '--name', 'web', '--template_id', 'Starter Linux'],
      ...['--ssh_key_id', 'laptop', '--no-persistent', '--share_ports', '80,443'],
      ...['--disks', '[{"disk_id":"d-1"}]'],
    ])
  })

  it('keeps ids of names that several have, and what begins like a flag', () => {
    const asked = creation('diskSnapshot.create', { name: '-x', disk_id: 'd-2' })
    expect(wordsOf(commandOf(asked))).toEqual([
      ...['disk-snapshot', 'create', '--project', "Ada's shop", '--name', '-x', '--disk_id', 'd-2'],
    ])
  })

  it('names first what it is about', () => {
    const asked = creation('vmSnapshot.create', { name: 's' }, { params: { vmId: 'd-1' } })
    expect(wordsOf(commandOf(asked)).slice(0, 3)).toEqual(['vm-snapshot', 'create', 'data'])
    expect(requestOf(asked, '')).toContain('/api/projects/p-1/vms/d-1/snapshots"')
  })

  it('has the id of what has a name like a flag', () => {
    const of = { params: { vmId: 'v-1' }, named: [{ id: 'v-1', name: '-rf' }] }
    const asked = creation('vm.fork', { name: '-x', count: 1 }, of)
    expect(wordsOf(commandOf(asked)).slice(0, 3)).toEqual(['vm', 'fork', 'v-1'])
  })

  it.each([
    ['data.qcow2', 'data.qcow2'],
    ['-a b.img', './-a b.img'],
  ])('sends the file %s whole', (file_name, path) => {
    const sent = { name: 'data', size: '10GB', file_name, file_bytes: 7, sha256: 'f'.repeat(64) }
    const asked = creation('upload.create', sent)
    expect(wordsOf(commandOf(asked))).toEqual([
      ...['disk', 'upload', path, '--project', "Ada's shop", '--name', 'data', '--size', '10GB'],
    ])
    expect(fileOf(asked)).toBe('A project file holds no content of files. Use the command.')
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
    ...{ name: 'web', template_name: 'Starter Linux', ssh_key_name: 'laptop' },
    ...{ vmpool_id: null, vmset_id: null, ...more },
  }) as Vm
const aDisk = (more: Partial<Disk> = {}): Disk =>
  ({ name: 'data', size: '10Gi', source: 'blank', image_url: null, deleted_with_vm: false, ...more }) as Disk

const ofVm = { params: { vmId: 'v-1' } }
const ofNone = { project: null }
const scheduleOf = (kind: 'vm' | 'disk') => ({
  ...{ hourly: null, daily: { time: '03:00', keep: 7 } },
  weekly: { weekday: 'sunday', time: '03:00', keep: 4 },
  ...{ time_zone: 'Europe/Berlin', paused: false, snapshot_type: kind === 'vm' ? 'disk' : 'full' },
})
const webhook = { url: 'https://hooks.example.com/a?b=c', description: '', objects: ['vm'], kinds: null }
const group = { ...body, snapshot_id: null, cpu: 4, disks: [{ name: 'd', size: '1Gi', source: 'EMPTY' }] }
const sizes = { min_size: 1, max_size: 2, desired_size: 1, auto_scaling: true }
const share = { port: 80, kind: 'http', audience: 'link', expires_at: '2030-01-01T00:00:00.000Z' }
const key = { key_name: 'laptop', ssh_public_key: `ssh-ed25519 ${'A'.repeat(68)} ada`, is_default: false }
const template = { name: 'Wiki', description: 'It writes', default_cpu: 2, start_script: undefined }

/** One of each kind that a form creates; what is called `x-1` is an id. */
const each: Creation[] = [
  vm({ share_ports: [80], disks: [{ disk_id: 'd-1' }], project_id: 'p-1' }),
  creation('disk.create', { name: 'a', size: '10GB', source: 'EMPTY' }),
  creation('vmPool.create', { ...group, ...sizes, description: '', memory_mb: 2048, root_disk_gb: 30 }),
  creation('vmSet.create', { ...group, replicas: 2 }),
  creation('vmSnapshot.create', { name: 's', retention_days: 7 }, ofVm),
  creation('diskSnapshot.create', { name: 's', disk_id: 'd-1' }),
  creation('batch.create', { action: 'vmSnapshot.create', ids: ['v-1'], name: '{name}', retention_days: 7 }),
  creation('diskSnapshot.createDisk', { name: 'a', size_gb: 3 }, { params: { diskSnapshotId: 's-1' } }),
  creation('vm.fork', { name: 'web-copy', count: 2 }, ofVm),
  creation('vmSnapshot.createVms', { name: 'web-copy', count: 1 }, { params: { snapshotId: 's-1' } }),
  creation('share.create', share, ofVm),
  ...(['vm', 'disk'] as const).map((kind) =>
    creation(`${kind}SnapshotSchedule.set`, scheduleOf(kind), {
      scheduled: kind === 'vm' ? aVm() : aDisk(),
      params: { [`${kind}Id`]: 'd-1' },
    }),
  ),
  creation('webhook.create', { ...webhook, actions: ['vm.start'] }),
  creation('projectMember.invite', { email: 'ada@example.com', role: 'viewer' }),
  creation('project.create', { name: "Ada's", description: 'Brass: steam' }, ofNone),
  creation('sshKey.create', key, ofNone),
  creation('upload.create', { name: 'a', size: '1GB', file_name: 'a.img', file_bytes: 9 }),
  creation('apiToken.create', { name: 'nas', access: 'read', project_ids: ['p-1'] }, ofNone),
  creation('template.create', { ...template, image_url: '' }, ofNone),
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

  it.each(kinds(each))('%s has a key in its request only if the call takes one', (_, asked) => {
    const words = wordsOf(requestOf(asked, 'https://vms.example.com'))
    expect(words.includes('Idempotency-Key: key')).toBe(endpointOf(asked).idempotent === true)
  })

  it.each(kinds(forPrograms))('%s has flags that its call has as fields, each once', (_, asked) => {
    const { body } = endpointOf(asked)
    const schema = z.toJSONSchema(body ?? z.never(), { io: 'input', unrepresentable: 'any' })
    const forms = [schema, ...(schema.oneOf ?? [])].map((form) => Object.keys(Object(form).properties ?? {}))
    const flags = wordsOf(commandOf(asked)).filter((one) => one.startsWith('--') && one !== '--project')
    expect(flags).not.toEqual([])
    expect(new Set(flags).size).toBe(flags.length)
    expect(forms.flat()).toEqual(expect.arrayContaining(flags.map((flag) => flag.replace(/^--(no-)?/, ''))))
  })

  it.each(kinds(forPrograms))('%s is in a file, or the file says why it is not', (_, asked) => {
    const file = fileOf(asked)
    if (typeof file === 'string')
      expect(file).toMatch(/^A project file .* Use the command( or the request)?\.$/)
    else {
      expect(ProjectFile.safeParse(file).error).toBeUndefined()
      expect(JSON.stringify(file)).not.toMatch(/_id|-1"/)
    }
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

  it.each(kinds(onlyForPersons))('%s is a request of a session, and in no file', (_, asked) => {
    const words = wordsOf(requestOf(asked, ''))
    expect(words).toContain('cookies.txt')
    expect(words.join()).not.toContain('Bearer')
    expect(fileOf(asked)).toMatch(/^A project file holds no .* Use the request\.$/)
  })
})

describe('a file', () => {
  it('is a project', () => {
    const asked = creation('project.create', { name: 'Looms', description: '' }, ofNone)
    expect(fileOf(asked)).toEqual({ slipway: 1, project: 'Looms' })
  })

  it.each([
    ['', 'hooks.example.com:8443'],
    ['chat', 'chat'],
  ])('has a webhook with the description "%s" by the name that it goes by', (description, name) => {
    const url = 'https://hooks.example.com:8443/a'
    const body = { url, description, objects: ['vm'], kinds: null, actions: null }
    expect(fileOf(creation('webhook.create', body))).toEqual({
      slipway: 1,
      project: project.name,
      webhooks: { [name]: { url, objects: ['vm'] } },
    })
  })

  describe('of a snapshot schedule', () => {
    const of = (scheduled: Vm | Disk) =>
      creation(
        'deleted_with_vm' in scheduled ? 'diskSnapshotSchedule.set' : 'vmSnapshotSchedule.set',
        { hourly: null, daily: { time: '03:00', keep: 7 }, weekly: null, time_zone: 'UTC', paused: false },
        { scheduled },
      )
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
    ['a disk from a snapshot', creation('disk.create', { name: 'a', source: 'SNAPSHOT' })],
    ['a set made of a snapshot', creation('vmSet.create', { ...body, snapshot_id: 's' })],
  ])('says that it cannot hold %s', (_, asked) => {
    expect(fileOf(asked)).toMatch(/^A project file .* Use the command or the request\.$/)
  })
})
