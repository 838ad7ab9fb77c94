import { Vm, type VmStatus, vmApi, vmStatuses } from '@slipway/contract'
import { describe, expect, it, vi } from 'vitest'
import { makeTestApp, newPublicKey, type TestApp, type TestAppOptions, withoutBin } from '../app.test-kit.ts'
import { volumeSpec } from '../engine/engine.test-kit.ts'
import { EngineError } from '../engine/engine.ts'
import { newId } from '../lib/id.ts'

const minutes = 60_000

/** A fresh server with one user, one project and one key. */
async function setUp(options?: TestAppOptions) {
  const app = await makeTestApp(options)
  const ada = await app.signedIn()
  const { body: project } = (await ada.raw('POST', '/api/projects', { name: 'p' })) as {
    body: { id: string }
  }
  const { body: key } = (await ada.raw('POST', '/api/user/ssh-keys', {
    key_name: 'laptop',
    ssh_public_key: newPublicKey(),
  })) as { body: { id: string } }
  const params = { projectId: project.id }
  const vmOf = (vmId: string) => ({ params: { ...params, vmId } })

  const create = (name: string, more: object = {}) =>
    ada.call(vmApi.create, { params, body: { name, template_id: 'starter', ssh_key_id: key.id, ...more } })
  const get = async (id: string): Promise<Vm> => (await ada.call(vmApi.get, vmOf(id))).body
  const start = (id: string) => ada.call(vmApi.start, vmOf(id))
  const stop = (id: string, force?: boolean) =>
    ada.call(vmApi.stop, { ...vmOf(id), ...(force && { body: { force } }) } as never)
  const suspend = (id: string) => ada.call(vmApi.suspend, vmOf(id))
  const restart = (id: string) => ada.call(vmApi.restart, vmOf(id))
  const remove = (id: string) => ada.call(vmApi.delete, vmOf(id))
  async function running(name: string, more?: object): Promise<string> {
    const { body } = await create(name, more)
    await app.clock.advance(10_000)
    expect((await get(body.id)).status).toBe('running')
    return body.id
  }
  /** Brings a VM into a status and leaves it there. */
  async function inStatus(status: VmStatus): Promise<string> {
    switch (status) {
      case 'pending':
        app.engine.setImage({ state: 'coming', progress: 0.4, what: 'Building the Starter Linux image' })
        return (await create('waits')).body.id
      case 'creating': {
        const { body } = await create('x')
        await app.clock.advance(100)
        return body.id
      }
      case 'provisioning': {
        const { body } = await create('x')
        await app.clock.advance(2_000)
        return body.id
      }
      case 'starting': {
        const id = await inStatus('stopped')
        await start(id)
        await app.clock.advance(1_000)
        return id
      }
      case 'running':
        return running('x')
      case 'suspending': {
        const id = await running('x')
        await suspend(id)
        await app.clock.advance(500)
        return id
      }
      case 'suspended': {
        const id = await running('x')
        await suspend(id)
        await app.clock.advance(3_000)
        return id
      }
      case 'stopping': {
        const id = await running('fault-deaf')
        await stop(id)
        await app.clock.advance(1_000)
        return id
      }
      case 'stopped': {
        const id = await running('x')
        await stop(id)
        await app.clock.advance(3_000)
        return id
      }
      case 'failed': {
        const { body } = await create('fault-no-space')
        await app.clock.advance(2_000)
        return body.id
      }
      case 'error': {
        const id = await running('x')
        app.engine.endRun(id, { how: 'crashed', reason: 'The guest crashed.' })
        await app.clock.advance(1)
        return id
      }
    }
  }
  return {
    app,
    ada,
    params,
    keyId: key.id,
    create,
    get,
    start,
    stop,
    suspend,
    restart,
    remove,
    running,
    inStatus,
  }
}

/** Runs a test on a server of its own. */
function onServer(test: (s: Awaited<ReturnType<typeof setUp>>) => Promise<void>, options?: TestAppOptions) {
  return async () => {
    const server = await setUp(options)
    try {
      await test(server)
    } finally {
      await server.app.close()
    }
  }
}

async function settled(app: TestApp): Promise<void> {
  await app.clock.advance(2 * minutes)
}

describe('creating a VM', () => {
  it(
    '201 answers at once as pending; then it is created, provisioned and runs with an address',
    onServer(async (s) => {
      const { status, body } = await s.create('My VM 1')
      expect(status).toBe(201)
      expect(body).toMatchObject({
        name: 'My VM 1',
        status: 'pending',
        ip_address: null,
        cpu: 1,
        memory_mb: 256,
        persistent: true,
        template_name: 'Starter Linux',
        ssh_key_name: 'laptop',
        vmpool_id: null,
        disks: [],
      })
      await s.app.clock.advance(100)
      expect((await s.get(body.id)).status).toBe('creating')
      await s.app.clock.advance(1_000)
      expect((await s.get(body.id)).status).toBe('provisioning')
      await s.app.clock.advance(5_000)
      const vm = await s.get(body.id)
      expect(vm).toMatchObject({
        status: 'running',
        ssh_port: 22,
        status_message: null,
        status_deadline: null,
      })
      expect(vm.ip_address).toMatch(/^127\.100\./)
    }),
  )

  it(
    'puts it at the end of the list, a bare array with exactly the fields of the contract',
    onServer(async (s) => {
      for (const name of ['one', 'two']) await s.create(name)
      const { status, body } = await s.ada.call(vmApi.list, { params: s.params })
      expect(status).toBe(200)
      expect(body.map((vm) => vm.name)).toEqual(['one', 'two'])
      for (const vm of body) expect(Object.keys(vm).sort()).toEqual(Object.keys(Vm.shape).sort())
    }),
  )

  it(
    'tells its steps with the times they really took',
    onServer(async (s) => {
      const vm = await s.get(await s.running('x'))
      expect(vm.steps.map((step) => step.name)).toEqual(['root_disk', 'boot', 'ready'])
      for (const step of vm.steps)
        expect(Date.parse(step.ended_at ?? '')).toBeGreaterThanOrEqual(Date.parse(step.started_at))
      const [disk] = vm.steps
      expect(Date.parse(disk?.ended_at ?? '') - Date.parse(disk?.started_at ?? '')).toBe(600)
    }),
  )

  it(
    'gives the guest a host name made from the name',
    onServer(async (s) => {
      const made: string[] = []
      const { createMachine } = s.app.engine
      s.app.engine.createMachine = (spec) => {
        made.push(spec.hostname)
        return createMachine(spec)
      }
      for (const name of ['My VM 1', '  Größe -- 42!  ', '机器', '$(reboot)', 'x'.repeat(100)])
        await s.create(name)
      await settled(s.app)
      expect(made.sort()).toEqual(['gro-e-42', 'my-vm-1', 'reboot', 'vm', 'x'.repeat(63)].sort())
    }),
  )

  it.each([
    [{ name: ' ' }, 'Please enter a VM name'],
    [{ name: 5 }, 'Please enter a VM name'],
    [{ template_id: 'nope' }, 'Please select a template'],
    [{ template_id: undefined }, 'Please select a template'],
    [{ ssh_key_id: undefined }, 'Please select an SSH key for secure access'],
    [{ ssh_key_id: 'nope' }, 'Please select an SSH key for secure access'],
    [{ disks: [{ disk_id: 'nope' }] }, 'Please select an existing disk for all disk entries'],
    [{ disks: [{}] }, 'Please select an existing disk for all disk entries'],
    [{ disks: 'all' }, 'Please select an existing disk for all disk entries'],
    [{ project_id: 'other' }, 'Project does not match'],
  ])('400 for %j, and nothing is stored', (more, message) =>
    onServer(async (s) => {
      expect(await s.create('x', more)).toMatchObject({ status: 400, body: { message } })
      expect((await s.ada.call(vmApi.list, { params: s.params })).body).toEqual([])
    })(),
  )

  it(
    '409 at the limit of the project',
    onServer(
      async (s) => {
        await s.create('one')
        expect(await s.create('two')).toMatchObject({
          status: 409,
          body: {
            message:
              'This project uses 1 of its 1 VM, and 1 more is requested. Delete VMs, or ask an administrator for a higher limit.',
          },
        })
      },
      { maxVmsPerProject: 1 },
    ),
  )

  it(
    'attaches a disk to one VM only, also when two ask at once, and frees it when the VM goes',
    onServer(async (s) => {
      const disk = {
        id: newId(),
        project_id: s.params.projectId,
        vm_id: null,
        name: 'data',
        description: '',
        status: 'available',
        status_message: null,
        size_bytes: 10 * 1024 ** 3,
        source: 'EMPTY' as const,
        image_url: null,
        image_sha256: null,
        snapshot_id: null,
        snapshot_kind: null,
        plugged: 0 as const,
        detaching: 0 as const,
        created_at: new Date().toISOString(),
        status_since: new Date().toISOString(),
      }
      await s.app.db.insertInto('disk').values(disk).execute()
      await s.app.engine.createVolume(volumeSpec(disk.id, { from: 'nothing' }, disk.size_bytes), {
        signal: new AbortController().signal,
        onProgress: () => {},
      })
      const disks = [{ disk_id: disk.id }]
      expect((await s.create('twice', { disks: [...disks, ...disks] })).status).toBe(400)
      const answers = await Promise.all([s.create('a', { disks }), s.create('b', { disks })])
      expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409])
      const winner = answers.find((answer) => answer.status === 201)?.body
      const loser = answers.find((answer) => answer.status === 409)?.body
      expect(loser).toMatchObject({ message: 'Disk "data" is not available' })
      expect(winner?.disks).toEqual([{ disk_id: disk.id, name: 'data', size: '10Gi' }])
      expect((await s.ada.call(vmApi.list, { params: s.params })).body).toHaveLength(1)
      const list = `/api/projects/${s.params.projectId}/disks`
      expect((await s.ada.raw('GET', `${list}?status=available`)).body).toEqual([])
      expect((await s.ada.raw('GET', `${list}?source=EMPTY&vm_id=${winner?.id}`)).body).toMatchObject([
        { id: disk.id, status: 'attached', vm_name: winner?.name, size_gb: 10 },
      ])
      await s.remove(winner?.id ?? '')
      expect((await s.ada.raw('GET', list)).body).toMatchObject([{ status: 'available', vm_id: null }])
    }),
  )
})

describe('what is allowed in which status', () => {
  const table: Record<'start' | 'stop' | 'force' | 'suspend' | 'restart', VmStatus[]> = {
    start: ['suspended', 'stopped', 'error'],
    stop: ['running', 'suspending', 'suspended', 'stopping'],
    force: ['provisioning', 'starting', 'running', 'suspending', 'suspended', 'stopping'],
    suspend: ['running'],
    restart: ['running'],
  }
  const words = {
    start: 'started',
    stop: 'stopped',
    force: 'stopped',
    suspend: 'suspended',
    restart: 'restarted',
  }
  const next = {
    start: 'starting',
    stop: 'stopping',
    force: 'stopping',
    suspend: 'suspending',
    restart: 'stopping',
  }

  for (const status of vmStatuses) {
    for (const action of ['start', 'stop', 'force', 'suspend', 'restart'] as const) {
      const allowed = table[action].includes(status)
      it(
        `${action} while ${status} is ${allowed ? '202' : '409 with the reason'}`,
        onServer(async (s) => {
          const id = await s.inStatus(status)
          expect((await s.get(id)).status).toBe(status)
          const act = {
            start: s.start,
            stop: s.stop,
            force: (vmId: string) => s.stop(vmId, true),
            suspend: s.suspend,
            restart: s.restart,
          }[action]
          const answer = await act(id)
          if (allowed) {
            expect(answer.status).toBe(202)
            expect(answer.body.status).toBe(next[action])
          } else {
            expect(answer).toMatchObject({
              status: 409,
              body: { message: `VM cannot be ${words[action]} while it is ${status}` },
            })
            expect((await s.get(id)).status).toBe(status)
          }
        }),
      )
    }

    it(
      `deleting while ${status} is 204, and nothing is left in the end`,
      onServer(async (s) => {
        const id = await s.inStatus(status)
        expect((await s.remove(id)).status).toBe(204)
        expect((await s.ada.call(vmApi.get, { params: { ...s.params, vmId: id } })).status).toBe(404)
        expect((await s.ada.call(vmApi.list, { params: s.params })).body).toEqual([])
        expect((await s.remove(id)).status).toBe(404)
        await settled(s.app)
        expect(await s.app.engine.list()).toEqual(new Map())
        expect(await s.app.db.selectFrom('vm').selectAll().execute()).toEqual([])
      }, withoutBin),
    )
  }

  it(
    'deleting what was begun and never finished tells the engine to clear up, though it has no machine to show',
    onServer(async (s) => {
      const cleared: string[] = []
      const { deleteMachine } = s.app.engine
      s.app.engine.createMachine = () =>
        Promise.reject(new EngineError('internal', 'Half of it was made.', { retryable: true }))
      s.app.engine.deleteMachine = (id) => {
        cleared.push(id)
        return deleteMachine(id)
      }
      const { id } = (await s.create('x')).body
      await s.app.clock.advance(1_000)
      expect(await s.app.engine.inspect(id)).toEqual({ power: 'absent' })
      await s.remove(id)
      await settled(s.app)
      expect(cleared).toContain(id)
      expect(await s.app.db.selectFrom('vm').selectAll().execute()).toEqual([])
    }),
  )
})

describe('stopping and starting', () => {
  it(
    'stops by the power button and starts again at the same address',
    onServer(async (s) => {
      const id = await s.running('x')
      const { ip_address } = await s.get(id)
      await s.stop(id)
      await s.app.clock.advance(3_000)
      expect(await s.get(id)).toMatchObject({ status: 'stopped', ip_address: null })
      await s.start(id)
      await s.app.clock.advance(10_000)
      const vm = await s.get(id)
      expect(vm).toMatchObject({ status: 'running', ip_address })
      expect(vm.steps.map((step) => step.name)).toEqual(['boot', 'ready'])
      expect(vm.steps.every((step) => step.ended_at !== null)).toBe(true)
    }),
  )

  it(
    'cuts off a guest that ignores the power button for 30 s',
    onServer(async (s) => {
      const id = await s.running('fault-deaf')
      await s.stop(id)
      await s.app.clock.advance(29_000)
      expect((await s.get(id)).status).toBe('stopping')
      await s.app.clock.advance(2_000)
      expect((await s.get(id)).status).toBe('stopped')
    }),
  )

  it(
    'cuts off at once when a second stop asks with force',
    onServer(async (s) => {
      const id = await s.inStatus('stopping')
      await s.stop(id, true)
      await s.app.clock.advance(10)
      expect((await s.get(id)).status).toBe('stopped')
    }),
  )

  it(
    'restarts through stopping and starting',
    onServer(async (s) => {
      const id = await s.running('x')
      expect((await s.restart(id)).body.status).toBe('stopping')
      await s.app.clock.advance(2_500)
      expect((await s.get(id)).status).toBe('starting')
      await s.app.clock.advance(5_000)
      expect((await s.get(id)).status).toBe('running')
    }),
  )

  it(
    'lets a stop during a restart win',
    onServer(async (s) => {
      const id = await s.running('x')
      await s.restart(id)
      expect((await s.stop(id)).status).toBe(202)
      await settled(s.app)
      expect((await s.get(id)).status).toBe('stopped')
      await s.start(id)
      await settled(s.app)
      expect((await s.get(id)).status).toBe('running')
    }),
  )

  it(
    'takes two starts at once as one',
    onServer(async (s) => {
      const id = await s.inStatus('stopped')
      const answers = await Promise.all([s.start(id), s.start(id)])
      expect(answers.map((answer) => answer.status).sort()).toEqual([202, 409])
      await settled(s.app)
      expect((await s.get(id)).status).toBe('running')
    }),
  )

  it(
    'stays stopped and can be started after its first start was cut short',
    onServer(async (s) => {
      const id = await s.inStatus('provisioning')
      await s.stop(id, true)
      await settled(s.app)
      expect((await s.get(id)).status).toBe('stopped')
      expect((await s.start(id)).body.status).toBe('starting')
      await settled(s.app)
      expect((await s.get(id)).status).toBe('running')
    }),
  )

  it(
    'follows a guest that powers itself off, and starts again on request',
    onServer(async (s) => {
      const id = await s.running('x')
      s.app.engine.endRun(id, { how: 'clean' })
      await settled(s.app)
      expect(await s.get(id)).toMatchObject({ status: 'stopped', status_message: null })
      await s.start(id)
      await settled(s.app)
      expect((await s.get(id)).status).toBe('running')
    }),
  )

  it(
    'starts a throw-away root disk from the template again after every end',
    onServer(async (s) => {
      const fresh: boolean[] = []
      const { startMachine } = s.app.engine
      s.app.engine.startMachine = (id, options) => {
        fresh.push(options.freshRoot)
        return startMachine(id, options)
      }
      const id = await s.running('x', { persistent: false })
      s.app.engine.endRun(id, { how: 'reboot' })
      await s.app.clock.advance(1)
      expect((await s.get(id)).status).toBe('starting')
      await settled(s.app)
      expect((await s.get(id)).status).toBe('running')
      await s.running('kept')
      expect(fresh).toEqual([true, true, false])
    }),
  )

  it(
    'comes up again after the host went down',
    onServer(async (s) => {
      const id = await s.running('x')
      s.app.engine.endRun(id, { how: 'host-restart' })
      await settled(s.app)
      expect((await s.get(id)).status).toBe('running')
    }),
  )
})

describe('bad days', () => {
  it(
    'fails with the reason when there is no disk space',
    onServer(async (s) => {
      const vm = await s.get(await s.inStatus('failed'))
      expect(vm.status_message).toMatch(/no disk space left/)
    }),
  )

  it(
    'fails with the reason when the guest cannot have its memory or cannot be launched',
    onServer(async (s) => {
      for (const [name, text] of [
        ['fault-no-memory', /memory/],
        ['fault-launch-failed', /launched/],
      ] as const) {
        const { body } = await s.create(name)
        await settled(s.app)
        const vm = await s.get(body.id)
        expect(vm.status).toBe('failed')
        expect(vm.status_message).toMatch(text)
      }
    }),
  )

  it(
    'tries again what may pass, and says so meanwhile',
    onServer(async (s) => {
      const { body } = await s.create('fault-flaky')
      await s.app.clock.advance(700)
      expect((await s.get(body.id)).status_message).toMatch(/Trying again in \d+ s\./)
      await settled(s.app)
      expect(await s.get(body.id)).toMatchObject({ status: 'running', status_message: null })
    }),
  )

  it(
    'fails with the reason when trying again does not help for half a minute',
    onServer(async (s) => {
      s.app.engine.createMachine = async () => {
        throw new EngineError('no-space', 'The disk of the host is full.', { retryable: true })
      }
      const { body } = await s.create('x')
      await s.app.clock.advance(5_000)
      expect((await s.get(body.id)).status).toBe('creating')
      await settled(s.app)
      expect(await s.get(body.id)).toMatchObject({
        status: 'failed',
        status_message:
          'The disk of the host is full. Free some space, then delete this VM and create it again.',
      })
    }),
  )

  it(
    'is in error with the evidence when the guest crashes, and can be started again',
    onServer(async (s) => {
      const id = await s.inStatus('error')
      expect((await s.get(id)).status_message).toBe('The guest crashed. Start it again.')
      await s.start(id)
      await settled(s.app)
      expect(await s.get(id)).toMatchObject({ status: 'running', status_message: null })
    }),
  )

  it(
    'fails when the guest crashes or leaves before it was ever up',
    onServer(async (s) => {
      for (const name of ['fault-crash', 'fault-leaves']) {
        const { body } = await s.create(name)
        await settled(s.app)
        expect((await s.get(body.id)).status).toBe('failed')
      }
    }),
  )

  it(
    'fails and ends a guest that never answers, after ten minutes',
    onServer(async (s) => {
      const { body } = await s.create('fault-never-ready')
      await s.app.clock.advance(9 * minutes)
      expect((await s.get(body.id)).status).toBe('provisioning')
      await s.app.clock.advance(2 * minutes)
      const vm = await s.get(body.id)
      expect(vm.status).toBe('failed')
      expect(vm.status_message).toMatch(/did not respond on port 22/)
      expect(await s.app.engine.inspect(body.id)).toMatchObject({ power: 'off' })
    }),
  )

  it(
    'is in error when its root disk is lost',
    onServer(async (s) => {
      const id = await s.inStatus('stopped')
      s.app.engine.loseRootDisk(id)
      await s.start(id)
      await settled(s.app)
      const vm = await s.get(id)
      expect(vm.status).toBe('error')
      expect(vm.status_message).toMatch(/root disk/)
    }),
  )

  it(
    'waits as pending for its image, saying how far it is, and for an hour at most',
    onServer(async (s) => {
      const id = await s.inStatus('pending')
      await s.app.clock.advance(1_500)
      expect((await s.get(id)).status_message).toBe('Building the Starter Linux image: 40 %.')
      expect((await s.get(id)).steps.at(-1)).toMatchObject({ name: 'image', ended_at: null })
      await s.app.clock.advance(61 * minutes)
      expect((await s.get(id)).status).toBe('failed')
    }),
  )

  it(
    'fails when the image cannot be had',
    onServer(async (s) => {
      s.app.engine.setImage({ state: 'unavailable', reason: 'The package mirror does not answer.' })
      const { body } = await s.create('x')
      await settled(s.app)
      expect(await s.get(body.id)).toMatchObject({
        status: 'failed',
        status_message:
          'The boot image of Starter Linux is not available. The package mirror does not answer.',
      })
    }),
  )

  it(
    'waits as pending while the host is full, says so, and starts when there is room',
    onServer(
      async (s) => {
        const first = await s.running('first')
        const { body: second } = await s.create('second')
        await settled(s.app)
        const waiting = await s.get(second.id)
        expect(waiting.status).toBe('pending')
        expect(waiting.status_message).toMatch(/Needs 256 MB of memory, but the host has 44 MB free/)
        await s.stop(first)
        await settled(s.app)
        expect((await s.get(second.id)).status).toBe('running')
      },
      { hostMemoryMb: 300 },
    ),
  )

  it(
    'never promises the same memory twice, however many ask at once',
    onServer(
      async (s) => {
        await Promise.all(Array.from({ length: 10 }, (_, i) => s.create(`vm-${i}`)))
        await settled(s.app)
        const { body } = await s.ada.call(vmApi.list, { params: s.params })
        expect(body.filter((vm) => vm.status === 'running')).toHaveLength(3)
        expect(body.filter((vm) => vm.status === 'pending')).toHaveLength(7)
      },
      { hostMemoryMb: 3 * 256 + 100 },
    ),
  )

  it(
    'brings up only so many guests at once',
    onServer(
      async (s) => {
        await Promise.all(Array.from({ length: 6 }, (_, i) => s.create(`vm-${i}`)))
        await s.app.clock.advance(3_000)
        const { body } = await s.ada.call(vmApi.list, { params: s.params })
        expect(body.filter((vm) => vm.status === 'provisioning')).toHaveLength(2)
        expect(body.find((vm) => vm.status === 'pending')?.status_message).toMatch(/Waiting for a start slot/)
        await settled(s.app)
        const later = await s.ada.call(vmApi.list, { params: s.params })
        expect(later.body.every((vm) => vm.status === 'running')).toBe(true)
      },
      { startsAtOnce: 2 },
    ),
  )
})

describe('starts after the host went down', () => {
  it(
    'pass admission anew: never more at once than there are start slots',
    onServer(
      async (s) => {
        const ids: string[] = []
        for (let i = 0; i < 12; i++) ids.push((await s.create(`vm-${i}`)).body.id)
        await settled(s.app)
        for (const id of ids) s.app.engine.endRun(id, { how: 'host-restart' })
        let most = 0
        for (let second = 0; second < 120; second++) {
          await s.app.clock.advance(1_000)
          const states = [...(await s.app.engine.list()).values()]
          most = Math.max(most, states.filter(({ power }) => power === 'booting').length)
        }
        expect(most).toBe(2)
        const { body } = await s.ada.call(vmApi.list, { params: s.params })
        expect(body.map((vm) => vm.status)).toEqual(ids.map(() => 'running'))
      },
      { startsAtOnce: 2 },
    ),
  )

  it(
    'take memory anew: nothing is promised twice',
    onServer(
      async (s) => {
        const ids = [await s.running('a'), await s.running('b'), await s.running('c')]
        for (const id of ids) s.app.engine.endRun(id, { how: 'host-restart' })
        const { body: more } = await s.create('d')
        await settled(s.app)
        const { body } = await s.ada.call(vmApi.list, { params: s.params })
        expect(body.filter((vm) => vm.status === 'running')).toHaveLength(3)
        expect(body.find((vm) => vm.id === more.id)?.status_message).toBeDefined()
      },
      { hostMemoryMb: 3 * 256 + 100 },
    ),
  )
})

describe('a VM that the engine finds no place for', () => {
  const noNode = { by: 'room', reason: 'No node has 256 MiB of memory free.' } as const
  const imported = { by: 'parts', reason: 'Its root disk is being imported: 40 %.' } as const

  it(
    'is pending and says why, and provisioning once it has its place',
    onServer(async (s) => {
      const { body } = await s.create('x')
      s.app.engine.hold(body.id, noNode)
      await s.app.clock.advance(30_000)
      const held = await s.get(body.id)
      expect(held).toMatchObject({ status: 'pending', status_message: noNode.reason, ip_address: null })
      expect(held.steps.at(-1)).toMatchObject({ name: 'room', ended_at: null })
      s.app.engine.hold(body.id, imported)
      await s.app.clock.advance(1_000)
      expect(await s.get(body.id)).toMatchObject({ status: 'provisioning', status_message: imported.reason })
      s.app.engine.hold(body.id, null)
      await s.app.clock.advance(1_000)
      expect(await s.get(body.id)).toMatchObject({ status: 'provisioning', status_message: null })
      await s.app.clock.advance(10_000)
      expect(await s.get(body.id)).toMatchObject({ status: 'running', status_message: null })
    }),
  )

  it(
    'gives up after an hour, though it was good before, and says why',
    onServer(async (s) => {
      const id = await s.running('x')
      s.app.engine.hold(id, noNode)
      await s.restart(id)
      await s.app.clock.advance(59 * minutes)
      expect(await s.get(id)).toMatchObject({ status: 'pending', status_message: noNode.reason })
      await s.app.clock.advance(2 * minutes)
      expect(await s.get(id)).toMatchObject({
        status: 'error',
        status_message: `No place was found for the VM in time. ${noNode.reason} Start it again.`,
      })
      expect((await s.app.engine.inspect(id)).power).toBe('off')
    }),
  )

  it(
    'says what it waited for when its parts were late, and is not taken for running',
    onServer(async (s) => {
      const id = await s.running('x')
      s.app.engine.hold(id, imported)
      await s.restart(id)
      await s.app.clock.advance(9 * minutes)
      expect(await s.get(id)).toMatchObject({ status: 'starting', status_message: imported.reason })
      await s.app.clock.advance(2 * minutes)
      expect(await s.get(id)).toMatchObject({
        status: 'error',
        status_message: `The VM did not start within 10 minutes. ${imported.reason} Start it again.`,
      })
    }),
  )

  it(
    'starts at once, with all others, and waits for the engine and not for a start slot',
    onServer(
      async (s) => {
        const ids: string[] = []
        for (let i = 0; i < 6; i++) ids.push((await s.create(`vm-${i}`)).body.id)
        const [first = ''] = ids
        s.app.engine.hold(first, noNode)
        await s.app.clock.advance(2_000)
        const states = [...(await s.app.engine.list()).values()]
        expect(states.filter(({ power }) => power === 'booting')).toHaveLength(6)
        await settled(s.app)
        const { body } = await s.ada.call(vmApi.list, { params: s.params })
        expect(body.filter(({ status }) => status === 'running')).toHaveLength(5)
        expect(body.find(({ id }) => id === first)).toMatchObject({
          status: 'pending',
          status_message: noNode.reason,
        })
      },
      { hostMemoryMb: null, startsAtOnce: 1 },
    ),
  )

  it(
    'is deleted while it waits',
    onServer(async (s) => {
      const { body } = await s.create('x')
      s.app.engine.hold(body.id, noNode)
      await s.app.clock.advance(30_000)
      await s.remove(body.id)
      await settled(s.app)
      expect(await s.app.engine.list()).toEqual(new Map())
    }),
  )
})

describe('a machine that takes its time to go', () => {
  const slowMs = 20_000

  it(
    'is asked again now and then, not all the time, and is forgotten once it has gone',
    onServer(async (s) => {
      const id = await s.running('x')
      const { engine, clock } = s.app
      const { deleteMachine } = engine
      let asked = 0
      engine.deleteMachine = async (machineId) => {
        if (asked++ === 0) clock.after(slowMs, () => void deleteMachine(machineId))
      }
      await s.remove(id)
      await clock.advance(slowMs - 1_000)
      expect(await s.app.db.selectFrom('vm').selectAll().execute()).toHaveLength(1)
      expect(asked).toBeLessThan(25)
      await clock.advance(2_000)
      expect(await s.app.db.selectFrom('vm').selectAll().execute()).toEqual([])
    }, withoutBin),
  )

  it(
    'is stopping until its guest has ended, and looked at as it ends',
    onServer(async (s) => {
      const id = await s.running('x')
      const { engine, clock } = s.app
      const { powerOff } = engine
      let asked = 0
      engine.powerOff = async (machineId) => {
        if (asked++ === 0) clock.after(slowMs, () => void powerOff(machineId))
      }
      await s.stop(id, true)
      await clock.advance(slowMs - 1_000)
      expect((await s.get(id)).status).toBe('stopping')
      expect(asked).toBeLessThan(25)
      await clock.advance(2_000)
      expect((await s.get(id)).status).toBe('stopped')
    }),
  )
})

describe('a VM that was good once', () => {
  it('is not at fault when its start failed because its user ended it', async () => {
    const s = await setUp()
    const id = await s.running('x')
    await s.stop(id, true)
    await s.app.clock.advance(5_000)
    const starting = Promise.withResolvers<null>()
    vi.spyOn(s.app.engine, 'startMachine').mockImplementation(() => starting.promise)
    await s.start(id)
    await s.app.clock.advance(1_000)
    await s.stop(id, true)
    starting.reject(new EngineError('internal', 'The guest ended while it came up.'))
    await s.app.clock.advance(5_000)
    expect(await s.get(id)).toMatchObject({ status: 'stopped', status_message: null })
    vi.restoreAllMocks()
    await s.app.close()
  })

  it.each(['force stop', 'delete'] as const)(
    'obeys %s at once while a look at it waits for a guest that does not answer',
    async (how) => {
      const s = await setUp(withoutBin)
      const id = await s.running('x')
      vi.spyOn(s.app.engine, 'powerDown').mockImplementation(() => new Promise(() => {}))
      await s.stop(id)
      await s.app.clock.advance(5_000)
      expect((await s.get(id)).status).toBe('stopping')
      await (how === 'delete' ? s.remove(id) : s.stop(id, true))
      await s.app.clock.advance(3_000)
      expect((await s.app.engine.inspect(id)).power).toBe(how === 'delete' ? 'absent' : 'off')
      vi.restoreAllMocks()
      await s.app.close()
    },
  )

  it(
    'goes on running when SSH does not answer any more, says so, and is never ended for it',
    onServer(async (s) => {
      const id = await s.running('x')
      s.app.engine.closeSsh(id, true)
      await s.app.restart()
      await s.app.clock.advance(11 * 60_000)
      const silent = await s.get(id)
      expect(silent.status).toBe('running')
      expect(silent.status_message).toMatch(/SSH does not respond on port 22/)
      await s.app.clock.advance(60 * 60_000)
      expect((await s.app.engine.inspect(id)).power).toBe('booting')
      s.app.engine.closeSsh(id, false)
      await settled(s.app)
      expect(await s.get(id)).toMatchObject({ status: 'running', status_message: null })
    }),
  )

  it(
    'gives its start slot back after a while, so that a silent guest keeps nobody waiting',
    onServer(
      async (s) => {
        const { body: silent } = await s.create('fault-never-ready')
        await s.app.clock.advance(5_000)
        const { body: next } = await s.create('next')
        await s.app.clock.advance(60_000)
        expect((await s.get(next.id)).status_message).toMatch(/Waiting for a start slot/)
        await s.app.clock.advance(4 * 60_000)
        expect((await s.get(next.id)).status).toBe('running')
        expect((await s.get(silent.id)).status).toBe('provisioning')
      },
      { startsAtOnce: 1 },
    ),
  )

  it(
    'is left alone while it cannot be read, and goes on by itself when it can be',
    onServer(async (s) => {
      const id = await s.running('x')
      const before = await s.app.engine.inspect(id)
      s.app.engine.hide(id, true)
      await s.app.clock.advance(60_000)
      const hidden = await s.get(id)
      expect(hidden.status).toBe('error')
      expect(hidden.status_message).toMatch(/cannot be read at the moment. The VM is left unchanged/)
      await s.app.clock.advance(2 * 60 * 60_000)
      s.app.engine.hide(id, false)
      await settled(s.app)
      expect(await s.get(id)).toMatchObject({ status: 'running', status_message: null })
      expect(await s.app.engine.inspect(id)).toEqual(before)
    }),
  )

  it(
    'keeps the reason of its fault while it cannot be read, and after',
    onServer(async (s) => {
      const id = await s.running('x')
      s.app.engine.endRun(id, { how: 'crashed', reason: 'The kernel of the guest panicked.' })
      await settled(s.app)
      const fault = { status: 'error', status_message: expect.stringContaining('panicked') }
      expect(await s.get(id)).toMatchObject(fault)
      s.app.engine.hide(id, true)
      await s.app.clock.advance(60_000)
      expect(await s.get(id)).toMatchObject(fault)
      s.app.engine.hide(id, false)
      await settled(s.app)
      expect(await s.get(id)).toMatchObject(fault)
    }),
  )

  it(
    'is not given up while it starts because the clock of the host jumps, in this server or between two',
    onServer(async (s) => {
      const { body: vm } = await s.create('fault-never-ready')
      await s.app.clock.advance(5_000)
      expect((await s.get(vm.id)).status).toBe('provisioning')
      // Within the life of a session, so that the user is still signed in.
      s.app.clock.set(s.app.clock.now() + 11 * 60 * 60_000)
      await s.app.clock.advance(60_000)
      const isAhead = ({ status_deadline }: Vm) => Date.parse(status_deadline ?? '') > s.app.clock.now()
      const jumped = await s.get(vm.id)
      expect([jumped.status, isAhead(jumped)]).toEqual(['provisioning', true])
      await s.app.restart()
      await s.app.clock.advance(60_000)
      const restarted = await s.get(vm.id)
      expect([restarted.status, isAhead(restarted)]).toEqual(['provisioning', true])
      await s.app.clock.advance(11 * 60_000)
      expect((await s.get(vm.id)).status).toBe('failed')
    }),
  )

  it(
    'starts again by itself when its lost root disk is there again',
    onServer(async (s) => {
      const id = await s.running('x')
      s.app.engine.endRun(id, { how: 'host-restart' })
      s.app.engine.loseRootDisk(id)
      await settled(s.app)
      expect((await s.get(id)).status).toBe('error')
      s.app.engine.findRootDisk(id)
      await settled(s.app)
      expect((await s.get(id)).status).toBe('running')
    }),
  )
})

describe('the event stream', () => {
  it(
    'tells every change of a VM, whole, and its end',
    onServer(async (s) => {
      const events: { event: string; data: Vm & { deleted?: true } }[] = []
      const stop = s.app.subscribe(s.params.projectId, (event, data) =>
        events.push({ event, data: data as Vm }),
      )
      const id = await s.running('x')
      await s.remove(id)
      await settled(s.app)
      stop()
      expect(events.every(({ event, data }) => event === 'vm' && data.id === id)).toBe(true)
      const words = events.map(({ data }) => data.status).filter((word, i, all) => word !== all[i - 1])
      expect(words).toEqual(['pending', 'creating', 'provisioning', 'running', undefined])
      expect(events.at(-1)?.data).toEqual({ id, project_id: s.params.projectId, deleted: true })
    }, withoutBin),
  )
})
