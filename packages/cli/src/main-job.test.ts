// @module-tag full
/** The main job by commands alone, and the calls of the catalogue with the statuses and sentences that they are refused with. */
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Disk, DiskSnapshot, Project, Vm, VmPool, VmSet, VmSnapshot } from '@slipway/contract'
import { newPublicKey } from '@slipway/e2e/person'
import { afterAll, describe, expect, it } from 'vitest'
import { newPerson, startWorld } from './cli.test-kit.ts'
import { makeDriver, wordsOf } from './driver.test-kit.ts'
import { exitCodes } from './failure.ts'

const [world, elsewhere] = await Promise.all([startWorld(), startWorld()])
afterAll(() => Promise.all([world.stop(), elsewhere.stop()]))

const { run, ok, json, refused, refusedWith, seen } = makeDriver(world.run.bind(world), {
  SLIPWAY_SERVER: world.server.url,
  SLIPWAY_TOKEN: world.token,
  SLIPWAY_PROJECT: 'shop',
})

const unknown = randomUUID()

describe('the account', () => {
  it('is made, verified and signed in to', async () => {
    const email = `grace-${randomUUID()}@example.com`
    const password = 'Compiler-1952'
    const mailed = async () => (await world.server.mailedLink(email, 'verify-email')).split('token=')[1] ?? ''
    await ok('account', 'sign-up', 'Grace Hopper', email, password)
    await refused('account.signIn 403', [
      `account sign-in ${email} ${password}`,
      'Please verify your email address before signing in.',
    ])
    await refused('account.signUp 409', [
      `account sign-up Grace ${email} ${password}`,
      'An account with this email already exists',
    ])
    await refused('account.signUp 400', [
      `account sign-up Grace a-${email} aaaaaaaa`,
      'Please choose a stronger password',
    ])
    await refused('account.verifyEmail 404', ['account verify-email wrong', 'Verification link is invalid'])
    const first = await mailed()
    const sent = await json<{ message: string }>('account', 'resend-verification', email)
    expect(sent.message).toBe('Verification email sent! Please check your inbox.')
    await expect.poll(mailed).not.toBe(first)
    await refused('account.verifyEmail 400', [
      `account verify-email --token ${first}`,
      'Verification link has expired',
    ])
    await ok('account', 'verify-email', '--token', await mailed())
    expect(await json('account', 'sign-in', email, password)).toMatchObject({ user: { email } })
    await refused('account.signIn 401', [`account sign-in ${email} Wrong-1952`, 'Invalid email or password'])
    await ok('account', 'sign-out')
    expect(await json('account', 'me')).toMatchObject({ name: 'Ada Lovelace', email: world.person.email })
  })

  it('is not what a token manages', async () => {
    expect(await json<object[]>('ssh-key', 'list')).toMatchObject([{ name: 'laptop' }])
    const sentence = 'API tokens cannot be used for this.'
    for (const [call, ...words] of [
      ['sshKey.create', 'ssh-key', 'create', 'desk', newPublicKey()],
      ['sshKey.delete', 'ssh-key', 'delete', 'laptop'],
      ['template.create', 'template', 'create', 'Mine', 'Of mine', '2', '2048'],
    ]) {
      const outcome = await run(words)
      expect(outcome).toMatchObject({ code: exitCodes.notAllowed, answered: `${call} 403` })
      expect(outcome.stderr).toContain(sentence)
    }
  })
})

describe('a VM', () => {
  it('needs a project and a template', async () => {
    const made = await json<Project>('project', 'create', 'shop', '--description', 'What sells')
    expect(await json<object[]>('project', 'list')).toMatchObject([{ id: made.id, name: 'shop' }])
    expect(await json<object[]>('template', 'list')).toContainEqual(
      expect.objectContaining({ id: 'starter' }),
    )
    await refused('project.create 400', ["project create ''", 'Please enter a project name'])
    await refused(
      'vm.create 400',
      ["vm create '' starter laptop", 'Please enter a VM name'],
      [`vm create web starter ${unknown}`, 'Please select an SSH key for secure access'],
      ['vm create web starter laptop --cpu 0', 'Enter a whole number of processors from 1 to 64'],
    )
    await refused('vm.get 404', [`vm get ${unknown}`, 'VM not found'])
    await refused('vm.list 404', [`vm list --project ${unknown}`, 'Project not found'])
  })

  it('is created, has a console, and is stopped and started', async () => {
    const web = await json<Vm>('vm', 'create', 'web', 'starter', 'laptop', '--wait')
    expect(web).toMatchObject({
      name: 'web',
      status: 'running',
      template_id: 'starter',
      ssh_key_name: 'laptop',
    })
    expect(web.ip_address).not.toBeNull()
    expect(await json<object[]>('vm', 'list')).toMatchObject([{ ...web, steps: [] }])
    expect(await ok('vm', 'console-log', 'web')).toContain('root (automatic login)')
    expect(await json('vm', 'stop', 'web', '--force', '--wait')).toMatchObject({ status: 'stopped' })
    await refused('vm.stop 409', ['vm stop web', 'VM cannot be stopped while it is stopped'])
    await refused('project.delete 409', ['project delete shop', 'Cannot delete (VMs exist)'])
    expect(await json('vm', 'start', 'web', '--wait')).toMatchObject({ status: 'running' })
  })
})

describe('a data disk', () => {
  it('is created, attached and detached', async () => {
    await refused(
      'disk.create 400',
      ["disk create '' 1Gi EMPTY", 'Please enter a disk name'],
      ["disk create data '' EMPTY", 'Please enter a disk size'],
      ['disk create data big EMPTY', 'Please enter a valid disk size'],
      ['disk create data 1Gi HTTP', 'Please enter an image URL'],
      ['disk create data 1Gi SNAPSHOT', 'Please enter a disk snapshot name'],
      ['disk create data 1Gi SNAPSHOT --disk_sansphot no', 'Disk snapshot "no" not found'],
      ['disk create data 1Gi REGISTRY', 'Please enter a container image'],
    )
    await refused('disk.delete 404', [`disk delete ${unknown}`, 'Disk not found'])
    const data = await json<Disk>('disk', 'create', 'data', '2048MB', 'EMPTY', '--wait')
    expect(data).toMatchObject({ status: 'available', size: '2Gi', source: 'blank', vm_id: null })
    expect(await json('disk', 'attach', 'data', '--vm', 'web')).toMatchObject({
      status: 'attached',
      vm_name: 'web',
    })
    await refused('disk.delete 409', ['disk delete data', 'Disk is attached to a VM. Detach it first.'])
    await refused('disk.attach 409', ['disk attach data web', 'Disk "data" is not available'])
    await refused('disk.attach 400', [`disk attach data ${unknown}`, 'Please select a VM'])
    expect(await json('disk', 'detach', 'data')).toMatchObject({ status: 'available', vm_id: null })
    await ok('disk', 'attach', 'data', 'web')
    await ok('disk', 'create', 'spare', '1Gi', 'EMPTY', '--wait')
    expect(await json<object[]>('disk', 'list', '--status', 'available', '--source', 'blank')).toMatchObject([
      { name: 'spare' },
    ])
    expect(await json<object[]>('disk', 'list', '--vm', 'web')).toMatchObject([{ name: 'data' }])
    await refused('disk.detach 409', ['disk detach spare', 'Disk is not attached to a VM'])
  })

  it('has snapshots, full and incremental, and new disks come of them', async () => {
    await refused(
      'diskSnapshot.create 400',
      ["disk-snapshot create '' data full --retention_days 30", 'Please enter a snapshot name'],
      ['disk-snapshot create first data full --retention_days 0', 'Minimum: 1 day, Maximum: 10 years'],
      ['disk-snapshot create first data full --retention_days 3651', 'Minimum: 1 day, Maximum: 10 years'],
      [`disk-snapshot create first ${unknown} full --retention_days 30`, 'Please select a disk to snapshot'],
    )
    const first = await json<DiskSnapshot>('disk-snapshot', 'create', 'first', 'data', 'full', '--wait')
    expect(first).toMatchObject({ status: 'ready', disk_name: 'data', snapshot_type: 'full' })
    const then = [
      '--name',
      'second',
      '--disk',
      'data',
      '--retention-days',
      '7',
      '--snapshot-type',
      'incremental',
    ]
    expect(await json('disk-snapshot', 'create', ...then, '--wait')).toMatchObject({ status: 'ready' })
    expect(await json<object[]>('disk-snapshot', 'list', '--disk', 'data', '--status', 'ready')).toHaveLength(
      2,
    )
    await refused('diskSnapshot.create 409', [
      'disk-snapshot create first data full --retention_days 30',
      'A disk snapshot named "first" already exists in this project',
    ])
    await refused('diskSnapshot.createDisk 400', [
      "disk-snapshot create-disk first ''",
      'Please enter a disk name',
    ])
    await refused('diskSnapshot.createDisk 404', [
      `disk-snapshot create-disk ${unknown} x`,
      'Disk snapshot not found',
    ])
    const copy = ['disk-snapshot', 'create-disk', 'second', 'copy', '--size_gb', '3', '--wait']
    // As a disk is shown, and not as a snapshot.
    expect(await ok(...copy)).toMatch(/^NAME +STATUS +SIZE .*\ncopy +available +3Gi /)
    const named = ['disk', 'create', 'again', '2Gi', 'SNAPSHOT', '--disk_sansphot', 'first', '--wait']
    const again = await json<Disk>(...named)
    expect(again).toMatchObject({ status: 'available', source: 'snapshot' })
    const disks = JSON.stringify([{ disk_id: again.id }])
    const made = await json<Vm>('vm', 'create', 'again-vm', 'starter', 'laptop', '--disks', disks, '--wait')
    expect(made).toMatchObject({ status: 'running', disks: [{ disk_id: again.id }] })
  })
})

describe('a VM snapshot', () => {
  it('puts its VM back, and that one only', async () => {
    await refused(
      'vmSnapshot.create 400',
      ["vm-snapshot create web '' disk", 'Please enter a snapshot name'],
      ['vm-snapshot create web then disk --retention_days 0', 'Retention must be between 1 and 365 days'],
      ['vm-snapshot create web then disk --retention_days 366', 'Retention must be between 1 and 365 days'],
    )
    await refused('vmSnapshot.create 404', [`vm-snapshot create ${unknown} then disk`, 'VM not found'])
    for (const type of ['disk', 'full'])
      expect(await json<VmSnapshot>('vm-snapshot', 'create', 'web', type, type, '--wait')).toMatchObject({
        name: type,
        status: 'ready',
        vm_name: 'web',
        snapshot_type: type,
      })
    expect(await json<object[]>('vm-snapshot', 'list', '--vm', 'web', '--status', 'ready')).toHaveLength(2)
    expect(await json<object[]>('vm-snapshot', 'list', '--vm_name', 'nobody')).toEqual([])
    await refused('vmSnapshot.restore 400', [
      'vm-snapshot restore disk again-vm',
      'Snapshot belongs to another VM',
    ])
    await refused('vmSnapshot.restore 404', [`vm-snapshot restore ${unknown} web`, 'Snapshot not found'])
    expect(await json('vm-snapshot', 'restore', 'disk', 'web', '--wait')).toMatchObject({
      name: 'web',
      status: 'running',
    })
    expect(await json('vm-snapshot', 'restore', 'full', '--vm', 'web', '--wait')).toMatchObject({
      status: 'running',
    })
  })
})

describe('many VMs', () => {
  it('are a pool that grows and shrinks within its sizes', async () => {
    const sizes = (min: number, desired: number, max: number) =>
      `--min_size ${min} --desired_size ${desired} --max_size ${max}`
    const above = 'Minimum size cannot be greater than maximum size.'
    const outside = 'Desired size must be between minimum and maximum size.'
    await refused(
      'vmPool.create 400',
      ["vm-pool create '' laptop starter", 'Please enter a VM Pool name.'],
      [`vm-pool create workers laptop starter ${sizes(4, 2, 3)}`, above],
      [`vm-pool create workers laptop starter ${sizes(1, 4, 3)}`, outside],
    )
    await refused('vmPool.get 404', [`vm-pool get ${unknown}`, 'VM Pool not found'])
    const own = ['--name', 'workers', '--template', 'starter', '--ssh-key', 'laptop']
    const disks = ['--disks', '[{"name":"scratch","size":"1Gi","source":"EMPTY"}]']
    const pool = await json<VmPool>(
      'vm-pool',
      'create',
      ...own,
      ...disks,
      ...wordsOf(sizes(1, 1, 3)),
      '--no-auto_scaling',
      '--wait',
    )
    expect(pool).toMatchObject({ status: 'active', current_size: 1, max_size: 3, auto_scaling: false })
    await refused(
      'vmPool.update 400',
      [`vm-pool update workers ${sizes(3, 3, 2)}`, above],
      [`vm-pool update workers ${sizes(1, 3, 2)}`, outside],
    )
    const grown = await json<{ vms: Vm[] }>('vm-pool', 'update', 'workers', '--desired_size', '3', '--wait')
    expect(grown).toMatchObject({ current_size: 3, status: 'active' })
    expect((await json<{ vms: Vm[] }>('vm-pool', 'get', 'workers')).vms).toHaveLength(3)
    const shrunk = ['--desired_size', '1', '--auto_scaling', '--wait']
    expect(await json('vm-pool', 'update', 'workers', ...shrunk)).toMatchObject({
      current_size: 1,
      auto_scaling: true,
    })
  })

  it('are a set of a number', async () => {
    const few = 'Number of replicas must be at least 1'
    const many = 'Number of replicas cannot be greater than 20'
    await refused(
      'vmSet.create 400',
      ["vm-set create '' laptop starter", 'Please enter a VM Set name.'],
      ['vm-set create etcd laptop starter --replicas 0', few],
      ['vm-set create etcd laptop starter --replicas 21', many],
    )
    await refused('vmSet.get 404', [`vm-set get ${unknown}`, 'VM Set not found'])
    const set = await json<VmSet>(
      'vm-set',
      'create',
      'etcd',
      'laptop',
      'starter',
      '--replicas',
      '1',
      '--wait',
    )
    expect(set).toMatchObject({ status: 'active', vm_stats: { total_vms: 1, running_vms: 1 } })
    await refused('vmSet.update 400', ['vm-set update etcd 0', few])
    expect(await json('vm-set', 'update', 'etcd', '2', '--wait')).toMatchObject({
      status: 'active',
      replicas: 2,
    })
    expect(await json('vm-set', 'get', 'etcd')).toMatchObject({ vm_stats: { total_vms: 2, running_vms: 2 } })
    expect(await json<object[]>('vm-set', 'list')).toMatchObject([{ name: 'etcd' }])
    expect(await json<object[]>('vm-pool', 'list')).toMatchObject([{ name: 'workers' }])
  })
})

describe('somebody else', () => {
  it('sees and changes nothing of it', async () => {
    const other = await newPerson(world.server)
    const body = { name: 'other', access: 'write', project_ids: null } as const
    const { token } = await other.call('apiToken.create', { body })
    const [project] = await json<Project[]>('project', 'list')
    const [vm] = await json<Vm[]>('vm', 'list')
    const [disk] = await json<Disk[]>('disk', 'list')
    const env = { SLIPWAY_TOKEN: token, SLIPWAY_PROJECT: project?.id ?? '' }
    const refusedThem = refusedWith(env)
    for (const call of ['list', `get ${vm?.id}`, `stop ${vm?.id}`, `delete ${vm?.id}`])
      await refusedThem(`vm.${call.split(' ')[0]} 404`, [`vm ${call}`, 'Project not found'])
    await refusedThem('disk.detach 404', [`disk detach ${disk?.id}`, 'Project not found'])
    await refusedThem('disk.create 404', ['disk create mine 1Gi EMPTY', 'Project not found'])
    await refusedThem('project.delete 404', [`project delete ${project?.id}`, 'Project not found'])
    // From a project of their own.
    await run(['project', 'create', 'mine'], env)
    await refusedWith({ ...env, SLIPWAY_PROJECT: 'mine' })('vm.stop 404', [
      `vm stop ${vm?.id}`,
      'VM not found',
    ])
  })
})

describe('the project as a file', () => {
  it('makes the same project at an empty installation, once', async () => {
    const there = { SLIPWAY_SERVER: elsewhere.server.url, SLIPWAY_TOKEN: elsewhere.token }
    const path = join(world.home, 'shop.yaml')
    const at = async (...args: string[]) => {
      const outcome = await world.run(args, there)
      expect(outcome).toMatchObject({ code: exitCodes.done })
      return outcome.stdout
    }
    const text = await ok('export', 'shop', '--start-scripts')
    await writeFile(path, text)
    const nothing = 'Nothing to do: the project is as the file says.\n'
    expect(await ok('plan', path)).toBe(nothing)
    expect(JSON.parse(await at('project', 'list', '--json'))).toEqual([])
    expect(await at('apply', path)).toMatch(/Done\.\n$/)
    await at('vm-set', 'wait', 'etcd')
    await at('vm-pool', 'wait', 'workers')
    expect(await at('plan', path)).toBe(nothing)
    const made = JSON.parse(await at('vm', 'list', '--json'))
    expect(await at('apply', path)).toBe(nothing)
    expect(JSON.parse(await at('vm', 'list', '--json'))).toEqual(made)
    // What it came from is said in a comment, and a new disk is blank.
    const withoutOrigins = text.replace(/^ +# Its content .*\n/gm, '')
    expect(await at('export', 'shop', '--start-scripts')).toBe(withoutOrigins)
  })
})

describe('deletions', () => {
  it('leave nothing', async () => {
    for (const command of [
      'vm-pool delete workers',
      'vm-set delete etcd',
      'vm delete web',
      'vm delete again-vm',
    ])
      await ok(...command.split(' '), '--wait')
    // Those that the restores made of what they replaced are among them.
    for (const noun of ['vm-snapshot', 'disk-snapshot'])
      for (const { id } of await json<{ id: string }[]>(noun, 'list')) await ok(noun, 'delete', id, '--wait')
    for (const name of ['data', 'spare', 'copy', 'again']) await ok('disk', 'delete', name, '--wait')
    for (const noun of ['vm', 'disk', 'vm-snapshot', 'disk-snapshot', 'vm-pool', 'vm-set'])
      expect(await json<object[]>(noun, 'list')).toEqual([])
    await ok('project', 'delete', 'shop')
    expect(await json<object[]>('project', 'list')).toEqual([])
  })

  it('were the last of what the catalogue calls API-005 to API-043', () => {
    for (const call of catalogue) expect(seen).toContain(call)
  })
})

/** The calls of the catalogue as this file has seen them answered. No token adds an SSH key or a template. */
const catalogue = [
  'account.me 200',
  ...['account.signIn 200', 'account.signIn 401', 'account.signIn 403'],
  ...['account.signUp 201', 'account.signUp 400', 'account.signUp 409'],
  ...['account.signOut 204', 'account.resendVerification 200'],
  ...['account.verifyEmail 200', 'account.verifyEmail 400', 'account.verifyEmail 404'],
  ...['project.list 200', 'project.create 201', 'project.delete 204', 'project.delete 409'],
  ...['template.list 200', 'template.create 403'],
  ...['vm.list 200', 'vm.create 201', 'vm.delete 204'],
  ...['sshKey.list 200', 'sshKey.create 403', 'sshKey.delete 403'],
  ...['vmPool.list 200', 'vmPool.create 201', 'vmPool.update 200', 'vmPool.delete 204'],
  ...['vmPool.get 200', 'vmPool.get 404'],
  ...['vmSet.list 200', 'vmSet.create 201', 'vmSet.update 200', 'vmSet.delete 204'],
  ...['vmSet.get 200', 'vmSet.get 404'],
  ...['vmSnapshot.list 200', 'vmSnapshot.create 201', 'vmSnapshot.restore 202', 'vmSnapshot.delete 204'],
  ...['disk.list 200', 'disk.create 201', 'disk.create 400', 'disk.delete 204', 'disk.delete 409'],
  ...['disk.detach 200', 'disk.detach 409'],
  ...['diskSnapshot.list 200', 'diskSnapshot.create 201', 'diskSnapshot.delete 204'],
  'diskSnapshot.createDisk 201',
]
