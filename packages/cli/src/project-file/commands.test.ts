import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Disk, Vm, VmPool, VmSet, VmSnapshotSchedule, Webhook } from '@slipway/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { newPerson, startWorld, succeeding } from '../cli.test-kit.ts'
import { exitCodes } from '../failure.ts'

const world = await startWorld()
afterAll(() => world.stop())

const { env } = world
const run = (...args: string[]) => world.run(args, env)
const { ok, json } = succeeding((args) => world.run(args, env))
const path = join(world.home, 'shop.yaml')
const write = (text: string) => writeFile(path, text)
/** Those of no pool or set. */
const vmsAlone = async (...more: string[]) =>
  (await json<Vm[]>('vm', 'list', ...more)).filter((vm) => vm.vmset_id === null && vm.vmpool_id === null)

const shop = `
slipway: 1
project: shop
description: What sells
internet: false
disks:
  data: { size: 2Gi }
  spare:
    size: 1Gi
    description: Nobody has it
    snapshot_schedule: { hourly: { minute: 15, keep: 24 }, snapshot_type: incremental }
vms:
  web:
    template: Starter Linux
    ssh_key: laptop
    cpu: 2
    memory_mb: 512
    note: |-
      Two lines
      of text
    tags: [front]
    suspend_after_minutes: 30
    disks: [data]
    snapshot_schedule:
      daily: { time: 03:00, keep: 7 }
      weekly: { weekday: sunday, time: 04:30, keep: 4 }
      time_zone: Europe/Berlin
    start_script: |
      #!/bin/sh
      echo hello
  db: { template: Starter Linux, ssh_key: laptop, persistent: false, delete_protection: true }
pools:
  workers: { template: Starter Linux, ssh_key: laptop, cpu: 3, memory_mb: 768, root_disk_gb: 20, auto_scaling: false, min_size: 0, desired_size: 1, max_size: 2 }
sets:
  etcd: { template: Starter Linux, ssh_key: laptop, replicas: 2, memory_mb: 640, root_disk_gb: 4, disks: [{ name: wal, size: 1Gi }] }
`

describe('a project as a file', () => {
  it('is planned without doing anything', async () => {
    await write(shop)
    expect(await ok('plan', path)).toBe(`+ project shop
+ disk data: 2Gi
+ disk spare: 1Gi
+ snapshot schedule of disk spare: hourly at minute 15, keeps 24 (UTC)
+ VM web: Starter Linux
+ snapshot schedule of VM web: daily at 03:00, keeps 7; weekly on Sunday at 04:30, keeps 4 (Europe/Berlin)
+ VM db: Starter Linux
+ pool workers: Starter Linux
+ set etcd: Starter Linux
9 to create, 0 to change, 0 to delete.
`)
    expect(await json<object[]>('project', 'list')).toEqual([])
  })

  it('is made as it says', async () => {
    expect(await ok('apply', path)).toMatch(/^\+ project shop\n[\s\S]*\nDone\.\n$/)
    const [web, db] = await vmsAlone()
    expect(web).toMatchObject({
      ...{ name: 'web', cpu: 2, memory_mb: 512, note: 'Two lines\nof text', tags: ['front'] },
      ...{ suspend_after_minutes: 30, disks: [{ name: 'data', size: '2Gi' }] },
    })
    expect(db).toMatchObject({ name: 'db', persistent: false, delete_protection: true })
    expect(await json<VmPool[]>('vm-pool', 'list')).toMatchObject([
      { name: 'workers', auto_scaling: false, max_size: 2, cpu: 3, memory_mb: 768, root_disk_gb: 20 },
    ])
    expect(await json<VmSet[]>('vm-set', 'list')).toMatchObject([
      // That of the template is no size of its own.
      { name: 'etcd', replicas: 2, memory_mb: 640, root_disk_gb: null },
    ])
    expect(await json('network', 'get')).toMatchObject({ internet: false })
    const daily = { time: '03:00', keep: 7 }
    expect(await json('vm-snapshot-schedule', 'list')).toMatchObject([
      { vm_id: web?.id, daily, time_zone: 'Europe/Berlin', snapshot_type: 'disk' },
    ])
    expect(await json('disk-snapshot-schedule', 'get', 'spare')).toMatchObject({
      hourly: { minute: 15, keep: 24 },
      snapshot_type: 'incremental',
    })
  })

  it('is made once, however often it is applied', async () => {
    const before = await json<Vm[]>('vm', 'list')
    expect(await ok('apply', path)).toBe('Nothing to do: the project is as the file says.\n')
    const ids = (vms: Vm[]) => vms.map(({ id }) => id).filter((id) => before.some((vm) => vm.id === id))
    expect(ids(await json<Vm[]>('vm', 'list'))).toEqual(ids(before))
  })

  it('comes back as it is: an export makes the same project elsewhere, and says no more', async () => {
    await ok('vm-set', 'wait', 'etcd', '--project', 'shop')
    const text = await ok('export', 'shop', '--start-scripts')
    expect(text).toContain('echo hello')
    await write(text.replace('project: shop', 'project: copy'))
    await ok('apply', path)
    await ok('vm-set', 'wait', 'etcd', '--project', 'copy')
    const again = await ok('export', '--project', 'copy', '--start-scripts')
    expect(again).toBe(text.replace('project: shop', 'project: copy'))
  })

  it('leaves start scripts out unless they are asked for', async () => {
    const { stdout, stderr } = await run('export', 'shop')
    expect(stdout).not.toContain('echo hello')
    expect(stderr).toContain('--start-scripts')
  })

  it('is changed as the file says, and by --project another one', async () => {
    await write(
      shop
        .replace('cpu: 2', 'cpu: 4')
        .replace('disks: [data]', 'disks: []')
        .replace('delete_protection: true', 'delete_protection: false, disks: [spare, data]')
        .replace('replicas: 2', 'replicas: 3'),
    )
    expect(await ok('apply', path, '--project', 'copy')).toBe(`~ VM web: detach disk data
~ VM web: cpu 2 -> 4
~ VM db: delete_protection true -> false
~ set etcd: replicas 2 -> 3
~ VM db: attach disk spare
~ VM db: attach disk data
Done.
`)
    const disks = await json<Disk[]>('disk', 'list', '--project', 'copy')
    expect(disks.filter((one) => !one.deleted_with_vm)).toMatchObject([{ vm_name: 'db' }, { vm_name: 'db' }])
    expect(await ok('plan', path, '--project', 'copy')).toContain('Nothing to do')
  })

  it('has a snapshot schedule changed, and deleted only when that is asked for', async () => {
    const schedule = () =>
      json<VmSnapshotSchedule>('vm-snapshot-schedule', 'get', 'web', '--project', 'sched')
    const text = `slipway: 1
project: sched
vms:
  web:
    template: Starter Linux
    ssh_key: laptop
    snapshot_schedule: { daily: { time: 03:00, keep: 7 } }
`
    await write(text)
    await ok('apply', path)
    await write(text.replace('keep: 7 }', 'keep: 14 }, paused: true'))
    const change =
      '~ snapshot schedule of VM web: daily {"time":"03:00","keep":7} -> {"time":"03:00","keep":14}, paused false -> true\n'
    expect(await ok('apply', path)).toBe(`${change}Done.\n`)
    expect(await schedule()).toMatchObject({ daily: { keep: 14 }, paused: true })
    expect(await ok('apply', path)).toBe('Nothing to do: the project is as the file says.\n')

    await write(text.replace(/ +snapshot_schedule.*\n/, ''))
    expect(await ok('apply', path, '--delete')).toBe('- snapshot schedule of VM web\nDone.\n')
    expect(await schedule()).toMatchObject({ daily: null })
    expect(await ok('apply', path, '--delete')).toContain('Nothing to do')
  })

  it('deletes nothing unless that is asked for, and then what the file does not have', async () => {
    await write('slipway: 1\nproject: copy\n')
    expect(await ok('apply', path)).toContain('VM web is not in the file and stays')
    expect(await json<Vm[]>('vm', 'list', '--project', 'copy')).not.toEqual([])
    expect(await ok('apply', path, '--delete')).toMatch(/^- VM web\n- VM db\n[\s\S]*Done\.\n$/)
    const sets = await json('vm-set', 'list', '--project', 'copy')
    expect([await vmsAlone('--project', 'copy'), sets]).toEqual([[], []])
  })

  it('is left alone as a whole when a part of it cannot be', async () => {
    await write(
      `${shop}  more: { template: Windows, ssh_key: nobody }\n`
        .replace('size: 2Gi', 'size: 3Gi')
        .replace('ssh_key: laptop', 'ssh_key: nobody'),
    )
    const outcome = await run('apply', path)
    expect(outcome).toMatchObject({ code: exitCodes.failed, stderr: 'Nothing was changed.\n' })
    for (const problem of [
      'Disk data: size is 2Gi and cannot become 3Gi.',
      'VM web: There is no SSH key with the name or id "nobody".',
      'Set more: There is no template with the name or id "Windows".',
      'Set more: There is no SSH key with the name or id "nobody".',
    ])
      expect(outcome.stdout).toContain(problem)
    expect(await json<VmSet[]>('vm-set', 'list', '--project', 'shop')).toHaveLength(1)
  })

  it('goes on after it was killed, and makes nothing twice', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `disk-${i}`)
    await write(
      `slipway: 1\nproject: later\ndisks:\n${names.map((name) => `  ${name}: { size: 1Gi }\n`).join('')}`,
    )
    const { child, ended, output } = world.start(['apply', path], env)
    await expect.poll(output, { interval: 10 }).toContain('disk-5')
    child.kill('SIGKILL')
    expect((await ended).stdout).not.toContain('Done.')
    expect(await ok('apply', path)).toMatch(/^\+ disk [\s\S]*Done\.\n$/)
    const disks = await json<Disk[]>('disk', 'list', '--project', 'later')
    expect(disks.map(({ name }) => name)).toEqual(names)
  })

  it('has webhooks, whose secrets are shown once to whoever applies it', async () => {
    const url = 'https://hooks.example.com/key-of-the-receiver'
    const text = `slipway: 1
project: hooked
internet: true
webhooks:
  chat:
    url: ${url}
    kinds:
      - failure
    paused: true
  hooks.example.com:
    url: ${url}
`
    await write(text)
    const [said = '', secret = ''] =
      /The secret of webhook chat, which is not shown again: (whsec_\S+)/.exec(await ok('apply', path)) ?? []
    expect(said).not.toBe('')
    expect(await json<Webhook[]>('webhook', 'list', '--project', 'hooked')).toMatchObject([
      { url, description: 'chat', objects: null, kinds: ['failure'], actions: null, paused: true },
      { url, description: '', objects: null, kinds: null, actions: null, paused: false },
    ])
    expect(await ok('apply', path)).toBe('Nothing to do: the project is as the file says.\n')
    const exported = await ok('export', 'hooked')
    expect(exported).not.toContain(secret)
    expect(exported.replace(/^ *#.*\n/gm, '').trimStart()).toBe(text)
    expect(exported).toContain('The URLs may hold keys')

    await write(text.replace('paused: true', 'paused: false').replace('  hooks.example.com:', '  again:'))
    const done = JSON.parse(await ok('apply', path, '--delete', '--json'))
    expect(done.secrets).toEqual([{ webhook: 'again', secret: expect.stringMatching(/^whsec_/) }])
    expect(await json<Webhook[]>('webhook', 'list', '--project', 'hooked')).toMatchObject([
      { description: 'chat', paused: false },
      { description: 'again' },
    ])
  })

  it('shows the secrets of webhooks also when a later step fails', async () => {
    const url = 'https://hooks.example.com/'
    await write(`slipway: 1
project: hooked-badly
webhooks: { first: { url: '${url}' }, second: { url: 'https://10.0.0.1/' } }
`)
    const outcome = await run('apply', path, '--json')
    expect(outcome).toMatchObject({ code: exitCodes.failed, stdout: '' })
    expect(outcome.stderr).toMatch(/The secret of webhook first, which is not shown again: whsec_/)
    expect(outcome.stderr).toContain('Steps done: 2 of 3.')
  })

  it('says whose role does not allow what it says, before anything is done', async () => {
    const url = 'https://hooks.example.com/'
    await write(`slipway: 1\nproject: seen\nwebhooks: { chat: { url: '${url}' } }\n`)
    await ok('apply', path)
    const { person: owner, server } = world
    const project = (await owner.call('project.list')).find(({ name }) => name === 'seen')
    const params = { projectId: project?.id ?? '' }
    const other = await newPerson(server)
    await owner.call('projectMember.invite', { params, body: { email: other.email, role: 'viewer' } })
    const link = await server.mailedLink(other.email, 'invitation')
    await other.call('projectMember.accept', { body: { token: link.split('token=')[1] ?? '' } })
    const { token } = await other.call('apiToken.create', {
      body: { name: 't', access: 'write', project_ids: null },
    })
    const theirs = { ...env, SLIPWAY_TOKEN: token }
    const refusal = 'Your role in this project is viewer.'
    expect((await world.run(['export', 'seen'], theirs)).stdout).toMatch(
      /^# .*\n# Webhooks are left out\. Your role in this project is viewer\..*\n(?![\s\S]*hooks\.example)/,
    )
    expect(await world.run(['apply', path], theirs)).toMatchObject({
      code: exitCodes.failed,
      stdout: expect.stringContaining(`Webhooks: ${refusal}`),
      stderr: 'Nothing was changed.\n',
    })
  })

  it('is read from standard input', async () => {
    const outcome = await world.run(['plan', '-'], env, 'slipway: 1\nproject: shop\nvm: 1\n')
    expect(outcome).toMatchObject({
      code: exitCodes.usage,
      stderr: 'standard input:1: There is no field `vm`\n',
    })
  })

  it('is not changed by who may only read', async () => {
    await write('slipway: 1\nproject: shop\ndisks: { new: { size: 1Gi } }\n')
    const reader = { ...env, SLIPWAY_TOKEN: await world.newToken('read') }
    expect(await world.run(['plan', path], reader)).toMatchObject({ code: 0 })
    const outcome = await world.run(['apply', path], reader)
    expect(outcome).toMatchObject({ code: exitCodes.notAllowed })
    expect(outcome.stderr).toContain('Steps done: 0 of 1. Apply the file again to go on.')
  })

  it('says how it is used', async () => {
    for (const args of [['plan'], ['apply', 'a', 'b'], ['export', 'a', 'b']])
      expect(await run(...args)).toMatchObject({
        code: exitCodes.usage,
        stderr: expect.stringMatching(/^Usage: slipway /),
      })
  })
})

it('says what the engine cannot do before anything is done', async () => {
  const other = await startWorld({ SLIPWAY_SIMULATED_CANNOT: 'networks,memory_snapshots' })
  try {
    const { networks, memory_snapshots } = (await other.person.call('host.get')).cannot
    await write(`slipway: 1
project: shut
internet: false
vms:
  web:
    template: Starter Linux
    ssh_key: laptop
    snapshot_schedule: { daily: { time: 03:00, keep: 7 }, snapshot_type: full }
`)
    for (const verb of ['plan', 'apply']) {
      const outcome = await other.run([verb, path], other.env)
      expect(outcome).toMatchObject({ code: exitCodes.failed, stderr: 'Nothing was changed.\n' })
      expect(outcome.stdout).toContain(`Internet access: ${networks}\n`)
      expect(outcome.stdout).toContain(`Snapshot schedule of VM web: ${memory_snapshots}\n`)
    }
    expect(await other.person.call('project.list')).toEqual([])
  } finally {
    await other.stop()
  }
})

it('is written of the same things in the documentation', async () => {
  const docs = await readFile(new URL('../../../../docs/project-file.md', import.meta.url), 'utf8')
  const example = /```yaml\n([\s\S]*?)```/.exec(docs)?.[1] ?? ''
  await write(example)
  expect(await ok('plan', path, '--project', 'documented')).toContain('to create')
})
