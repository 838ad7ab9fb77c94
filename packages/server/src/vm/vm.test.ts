// @module-tag both-databases
import { Vm, type VmStatus, vmApi, vmStatuses } from '@slipway/contract'
import { describe, expect, vi } from 'vitest'
import { withoutBin } from '../app.test-kit.ts'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'
import { EngineError } from '../engine/engine.ts'

const minutes = 60_000

const created = async (desk: Desk, name = 'x') => (await desk.createVm(name)).body.id
const asked =
  (action: 'stop' | 'suspend', name = 'x') =>
  async (desk: Desk) => {
    const id = await desk.runningVm(name)
    await desk.act(action, id)
    return id
  }
/** How a VM comes into a status, and how long that takes. */
const ways: Record<VmStatus, [way: (desk: Desk) => Promise<string>, ms: number]> = {
  pending: [
    (desk) => {
      desk.app.engine.setImage({ state: 'coming', progress: 0.4, what: 'Building the Starter Linux image' })
      return created(desk)
    },
    0,
  ],
  creating: [created, 100],
  provisioning: [created, 2_000],
  starting: [
    async (desk) => {
      const id = await desk.stoppedVm()
      await desk.act('start', id)
      return id
    },
    1_000,
  ],
  running: [(desk) => desk.runningVm(), 0],
  suspending: [asked('suspend'), 500],
  suspended: [asked('suspend'), 3_000],
  stopping: [asked('stop', 'fault-deaf'), 1_000],
  stopped: [asked('stop'), 3_000],
  failed: [(desk) => created(desk, 'fault-no-space'), 2_000],
  error: [
    async (desk) => {
      const id = await desk.runningVm()
      desk.app.engine.endRun(id, { how: 'crashed', reason: 'The guest crashed.' })
      return id
    },
    1,
  ],
}
/** Brings a VM into a status and leaves it there. */
async function inStatus(desk: Desk, status: VmStatus): Promise<string> {
  const [way, ms] = ways[status]
  const id = await way(desk)
  await desk.pass(ms)
  return id
}

describe('creating a VM', () => {
  it('201 answers at once as pending; then it is created, provisioned and runs with an address', async ({
    desk,
  }) => {
    const { status, body } = await desk.createVm('My VM 1')
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'My VM 1',
      status: 'pending',
      ip_address: null,
      cpu: 1,
      memory_mb: 256,
      persistent: true,
      template_name: 'Starter Linux',
      ssh_key_name: 'k',
      vmpool_id: null,
      disks: [],
    })
    await desk.pass(100)
    expect((await desk.vm(body.id)).status).toBe('creating')
    await desk.pass(1_000)
    expect((await desk.vm(body.id)).status).toBe('provisioning')
    await desk.pass(5_000)
    const vm = await desk.vm(body.id)
    expect(vm).toMatchObject({
      status: 'running',
      ssh_port: 22,
      status_message: null,
      status_deadline: null,
    })
    expect(vm.ip_address).toMatch(/^127\.100\./)
  })

  it('puts it at the end of the list, a bare array with exactly the fields of the contract', async ({
    desk,
  }) => {
    for (const name of ['one', 'two']) await desk.createVm(name)
    const { status, body } = await desk.ada.call(vmApi.list, { params: desk.params })
    expect(status).toBe(200)
    expect(body.map((vm) => vm.name)).toEqual(['one', 'two'])
    for (const vm of body) expect(Object.keys(vm).sort()).toEqual(Object.keys(Vm.shape).sort())
  })

  it('tells its steps with the times they really took', async ({ desk }) => {
    const vm = await desk.vm(await desk.runningVm('x'))
    expect(vm.steps.map((step) => step.name)).toEqual(['root_disk', 'boot', 'ready'])
    for (const step of vm.steps)
      expect(Date.parse(step.ended_at ?? '')).toBeGreaterThanOrEqual(Date.parse(step.started_at))
    const [disk] = vm.steps
    expect(Date.parse(disk?.ended_at ?? '') - Date.parse(disk?.started_at ?? '')).toBe(600)
  })

  it('gives the guest a host name made from the name', async ({ desk }) => {
    const made: string[] = []
    const { createMachine } = desk.app.engine
    desk.app.engine.createMachine = (spec) => {
      made.push(spec.hostname)
      return createMachine(spec)
    }
    for (const name of ['My VM 1', '  Größe -- 42!  ', '机器', '$(reboot)', 'x'.repeat(100)])
      await desk.createVm(name)
    await desk.pass(2 * minutes)
    expect(made.sort()).toEqual(['gro-e-42', 'my-vm-1', 'reboot', 'vm', 'x'.repeat(63)].sort())
  })

  it.for([
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
  ] as const)('400 for %j, and nothing is stored', async ([more, message], { desk }) => {
    expect(await desk.createVm('x', more)).toMatchObject(refusal(400, message))
    expect(await desk.vms()).toEqual([])
  })

  it('409 at the limit of the project', async () => {
    const desk = await deskWith({ maxVmsPerProject: 1 })
    await desk.createVm('one')
    expect(await desk.createVm('two')).toMatchObject({
      status: 409,
      body: {
        message:
          'This project uses 1 of its 1 VM, and 1 more is requested. Delete VMs, or ask an administrator for a higher limit.',
      },
    })
  })

  it('attaches a disk to one VM only, also when two ask at once, and frees it when the VM goes', async ({
    desk,
  }) => {
    const diskId = await desk.readyDisk({ size: '10Gi' })
    const disks = [{ disk_id: diskId }]
    expect((await desk.createVm('twice', { disks: [...disks, ...disks] })).status).toBe(400)
    const answers = await Promise.all([desk.createVm('a', { disks }), desk.createVm('b', { disks })])
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409])
    const winner = answers.find((answer) => answer.status === 201)?.body
    const loser = answers.find((answer) => answer.status === 409)?.body
    expect(loser).toMatchObject({ message: 'Disk "data" is not available' })
    expect(winner?.disks).toEqual([{ disk_id: diskId, name: 'data', size: '10Gi' }])
    expect(await desk.vms()).toHaveLength(1)
    expect(await desk.disks('?status=available')).toEqual([])
    expect(await desk.disks(`?source=EMPTY&vm_id=${winner?.id}`)).toMatchObject([
      { id: diskId, status: 'attached', vm_name: winner?.name, size_gb: 10 },
    ])
    await desk.deleteVm(winner?.id ?? '')
    expect(await desk.disks()).toMatchObject([{ status: 'available', vm_id: null }])
  })
})

describe('what is allowed in which status', () => {
  const actions = ['start', 'stop', 'force', 'suspend', 'restart'] as const
  const table: Record<(typeof actions)[number], { said: string; next: VmStatus; in: VmStatus[] }> = {
    start: { said: 'started', next: 'starting', in: ['suspended', 'stopped', 'error'] },
    stop: { said: 'stopped', next: 'stopping', in: ['running', 'suspending', 'suspended', 'stopping'] },
    force: {
      said: 'stopped',
      next: 'stopping',
      in: ['provisioning', 'starting', 'running', 'suspending', 'suspended', 'stopping'],
    },
    suspend: { said: 'suspended', next: 'suspending', in: ['running'] },
    restart: { said: 'restarted', next: 'stopping', in: ['running'] },
  }

  for (const status of vmStatuses) {
    for (const action of actions) {
      const { said, next, in: those } = table[action]
      const allowed = those.includes(status)
      it(`${action} while ${status} is ${allowed ? '202' : '409 with the reason'}`, async ({ desk }) => {
        const id = await inStatus(desk, status)
        expect((await desk.vm(id)).status).toBe(status)
        const answer = await (action === 'force'
          ? desk.act('stop', id, { force: true })
          : desk.act(action, id))
        if (allowed) expect(answer).toMatchObject({ status: 202, body: { status: next } })
        else {
          expect(answer).toMatchObject(refusal(409, `VM cannot be ${said} while it is ${status}`))
          expect((await desk.vm(id)).status).toBe(status)
        }
      })
    }

    it(`deleting while ${status} is 204, and nothing is left in the end`, async () => {
      const desk = await deskWith(withoutBin)
      const id = await inStatus(desk, status)
      expect((await desk.deleteVm(id)).status).toBe(204)
      expect((await desk.ada.call(vmApi.get, { params: { ...desk.params, vmId: id } })).status).toBe(404)
      expect(await desk.vms()).toEqual([])
      expect((await desk.deleteVm(id)).status).toBe(404)
      await desk.pass(2 * minutes)
      expect(await desk.app.engine.list()).toEqual(new Map())
      expect(await desk.namesIn('vm')).toEqual([])
    })
  }

  it('deleting what was begun and never finished tells the engine to clear up, though it has no machine to show', async ({
    desk,
  }) => {
    const cleared: string[] = []
    const { deleteMachine } = desk.app.engine
    desk.app.engine.createMachine = () =>
      Promise.reject(new EngineError('internal', 'Half of it was made.', { retryable: true }))
    desk.app.engine.deleteMachine = (id) => {
      cleared.push(id)
      return deleteMachine(id)
    }
    const { id } = (await desk.createVm('x')).body
    await desk.pass(1_000)
    expect(await desk.app.engine.inspect(id)).toEqual({ power: 'absent' })
    await desk.done(desk.deleteVm(id))
    expect(cleared).toContain(id)
    expect(await desk.namesIn('vm')).toEqual([])
  })
})

describe('stopping and starting', () => {
  it('stops by the power button and starts again at the same address', async ({ desk }) => {
    const id = await desk.runningVm('x')
    const { ip_address } = await desk.vm(id)
    await desk.act('stop', id)
    await desk.pass(3_000)
    expect(await desk.vm(id)).toMatchObject({ status: 'stopped', ip_address: null })
    await desk.act('start', id)
    await desk.pass(10_000)
    const vm = await desk.vm(id)
    expect(vm).toMatchObject({ status: 'running', ip_address })
    expect(vm.steps.map((step) => step.name)).toEqual(['boot', 'ready'])
    expect(vm.steps.every((step) => step.ended_at !== null)).toBe(true)
  })

  it('cuts off a guest that ignores the power button for 30 s', async ({ desk }) => {
    const id = await desk.runningVm('fault-deaf')
    await desk.act('stop', id)
    await desk.pass(29_000)
    expect((await desk.vm(id)).status).toBe('stopping')
    await desk.pass(2_000)
    expect((await desk.vm(id)).status).toBe('stopped')
  })

  it('cuts off at once when a second stop asks with force', async ({ desk }) => {
    const id = await inStatus(desk, 'stopping')
    await desk.act('stop', id, { force: true })
    await desk.pass(10)
    expect((await desk.vm(id)).status).toBe('stopped')
  })

  it('restarts through stopping and starting', async ({ desk }) => {
    const id = await desk.runningVm('x')
    expect((await desk.act('restart', id)).body.status).toBe('stopping')
    await desk.pass(2_500)
    expect((await desk.vm(id)).status).toBe('starting')
    await desk.pass(5_000)
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('lets a stop during a restart win', async ({ desk }) => {
    const id = await desk.runningVm('x')
    await desk.act('restart', id)
    expect((await desk.act('stop', id)).status).toBe(202)
    await desk.pass(2 * minutes)
    expect((await desk.vm(id)).status).toBe('stopped')
    await desk.done(desk.act('start', id))
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('takes two starts at once as one', async ({ desk }) => {
    const id = await inStatus(desk, 'stopped')
    const answers = await Promise.all([desk.act('start', id), desk.act('start', id)])
    expect(answers.map((answer) => answer.status).sort()).toEqual([202, 409])
    await desk.pass(2 * minutes)
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('stays stopped and can be started after its first start was cut short', async ({ desk }) => {
    const id = await inStatus(desk, 'provisioning')
    await desk.done(desk.act('stop', id, { force: true }))
    expect((await desk.vm(id)).status).toBe('stopped')
    expect((await desk.act('start', id)).body.status).toBe('starting')
    await desk.pass(2 * minutes)
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('follows a guest that powers itself off, and starts again on request', async ({ desk }) => {
    const id = await desk.runningVm('x')
    desk.app.engine.endRun(id, { how: 'clean' })
    await desk.pass(2 * minutes)
    expect(await desk.vm(id)).toMatchObject({ status: 'stopped', status_message: null })
    await desk.done(desk.act('start', id))
    expect((await desk.vm(id)).status).toBe('running')
  })

  it('starts a throw-away root disk from the template again after every end', async ({ desk }) => {
    const fresh: boolean[] = []
    const { startMachine } = desk.app.engine
    desk.app.engine.startMachine = (id, options) => {
      fresh.push(options.freshRoot)
      return startMachine(id, options)
    }
    const id = await desk.runningVm('x', { persistent: false })
    desk.app.engine.endRun(id, { how: 'reboot' })
    await desk.pass(1)
    expect((await desk.vm(id)).status).toBe('starting')
    await desk.pass(2 * minutes)
    expect((await desk.vm(id)).status).toBe('running')
    await desk.runningVm('kept')
    expect(fresh).toEqual([true, true, false])
  })
})

describe('bad days', () => {
  it.for([
    ['fault-no-space', /no disk space left/],
    ['fault-no-memory', /memory/],
    ['fault-launch-failed', /launched/],
    ['fault-crash', /./],
    ['fault-leaves', /./],
  ] as const)('fails with the reason when its guest never comes up: %s', async ([name, reason], { desk }) => {
    const id = await created(desk, name)
    await desk.pass(2 * minutes)
    expect(await desk.vm(id)).toMatchObject({
      status: 'failed',
      status_message: expect.stringMatching(reason),
    })
  })

  it('tries again what may pass, and says so meanwhile', async ({ desk }) => {
    const { body } = await desk.createVm('fault-flaky')
    await desk.pass(700)
    expect((await desk.vm(body.id)).status_message).toMatch(/Trying again in \d+ s\./)
    await desk.pass(2 * minutes)
    expect(await desk.vm(body.id)).toMatchObject({ status: 'running', status_message: null })
  })

  it('fails with the reason when trying again does not help for half a minute', async ({ desk }) => {
    desk.app.engine.createMachine = async () => {
      throw new EngineError('no-space', 'The disk of the host is full.', { retryable: true })
    }
    const { body } = await desk.createVm('x')
    await desk.pass(5_000)
    expect((await desk.vm(body.id)).status).toBe('creating')
    await desk.pass(2 * minutes)
    expect(await desk.vm(body.id)).toMatchObject({
      status: 'failed',
      status_message:
        'The disk of the host is full. Free some space, then delete this VM and create it again.',
    })
  })

  it('is in error with the evidence when the guest crashes, and can be started again', async ({ desk }) => {
    const id = await inStatus(desk, 'error')
    expect((await desk.vm(id)).status_message).toBe('The guest crashed. Start it again.')
    await desk.done(desk.act('start', id))
    expect(await desk.vm(id)).toMatchObject({ status: 'running', status_message: null })
  })

  it('fails and ends a guest that never answers, after ten minutes', async ({ desk }) => {
    const { body } = await desk.createVm('fault-never-ready')
    await desk.pass(9 * minutes)
    expect((await desk.vm(body.id)).status).toBe('provisioning')
    await desk.pass(2 * minutes)
    const vm = await desk.vm(body.id)
    expect(vm.status).toBe('failed')
    expect(vm.status_message).toMatch(/did not respond on port 22/)
    expect(await desk.app.engine.inspect(body.id)).toMatchObject({ power: 'off' })
  })

  it('waits as pending for its image, saying how far it is, and for an hour at most', async ({ desk }) => {
    const id = await inStatus(desk, 'pending')
    await desk.pass(1_500)
    expect((await desk.vm(id)).status_message).toBe('Building the Starter Linux image: 40 %.')
    expect((await desk.vm(id)).steps.at(-1)).toMatchObject({ name: 'image', ended_at: null })
    await desk.app.clock.advance(61 * minutes)
    expect((await desk.vm(id)).status).toBe('failed')
  })

  it('fails when the image cannot be had', async ({ desk }) => {
    desk.app.engine.setImage({ state: 'unavailable', reason: 'The package mirror does not answer.' })
    const { body } = await desk.createVm('x')
    await desk.pass(2 * minutes)
    expect(await desk.vm(body.id)).toMatchObject({
      status: 'failed',
      status_message: 'The boot image of Starter Linux is not available. The package mirror does not answer.',
    })
  })

  it('waits as pending while the host is full, says so, and starts when there is room', async () => {
    const desk = await deskWith({ hostMemoryMb: 300 })
    const first = await desk.runningVm('first')
    const { body: second } = await desk.createVm('second')
    await desk.pass(2 * minutes)
    const waiting = await desk.vm(second.id)
    expect(waiting.status).toBe('pending')
    expect(waiting.status_message).toMatch(/Needs 256 MB of memory, but the host has 44 MB free/)
    await desk.done(desk.act('stop', first))
    expect((await desk.vm(second.id)).status).toBe('running')
  })
})

describe('many VMs at once, when they are created and after the host went down', () => {
  const areUp = async (desk: Desk) => (await desk.vms()).filter(({ status }) => status === 'running').length

  it('come up only so many at a time as there are start slots', async () => {
    const desk = await deskWith({ startsAtOnce: 2 })
    const mostOnTheirWay = async () => {
      let most = 0
      for (let second = 0; second < 120; second++) {
        await desk.pass(1_000)
        const states = [...(await desk.app.engine.list()).values()]
        most = Math.max(most, states.filter(({ power }) => power === 'booting').length)
      }
      return most
    }
    await Promise.all(Array.from({ length: 12 }, (_, i) => desk.createVm(`vm-${i}`)))
    expect([await mostOnTheirWay(), await areUp(desk)]).toEqual([2, 12])
    for (const { id } of await desk.vms()) desk.app.engine.endRun(id, { how: 'host-restart' })
    expect([await mostOnTheirWay(), await areUp(desk)]).toEqual([2, 12])
  })

  it('are never promised the same memory twice', async () => {
    const desk = await deskWith({ hostMemoryMb: 3 * 256 + 100 })
    await Promise.all(Array.from({ length: 10 }, (_, i) => desk.createVm(`vm-${i}`)))
    await desk.pass(2 * minutes)
    const vms = await desk.vms()
    const up = vms.filter(({ status }) => status === 'running')
    expect([up.length, vms.filter(({ status }) => status === 'pending').length]).toEqual([3, 7])
    for (const { id } of up) desk.app.engine.endRun(id, { how: 'host-restart' })
    await desk.pass(2 * minutes)
    expect(await areUp(desk)).toBe(3)
  })
})

describe('a VM that the engine finds no place for', () => {
  const noNode = { by: 'room', reason: 'No node has 256 MiB of memory free.' } as const
  const imported = { by: 'parts', reason: 'Its root disk is being imported: 40 %.' } as const

  it('is pending and says why, and provisioning once it has its place', async ({ desk }) => {
    const { body } = await desk.createVm('x')
    desk.app.engine.hold(body.id, noNode)
    await desk.pass(30_000)
    const held = await desk.vm(body.id)
    expect(held).toMatchObject({ status: 'pending', status_message: noNode.reason, ip_address: null })
    expect(held.steps.at(-1)).toMatchObject({ name: 'room', ended_at: null })
    desk.app.engine.hold(body.id, imported)
    await desk.pass(1_000)
    expect(await desk.vm(body.id)).toMatchObject({ status: 'provisioning', status_message: imported.reason })
    desk.app.engine.hold(body.id, null)
    await desk.pass(1_000)
    expect(await desk.vm(body.id)).toMatchObject({ status: 'provisioning', status_message: null })
    await desk.pass(10_000)
    expect(await desk.vm(body.id)).toMatchObject({ status: 'running', status_message: null })
  })

  it('gives up after an hour, though it was good before, and says why', async ({ desk }) => {
    const id = await desk.runningVm('x')
    desk.app.engine.hold(id, noNode)
    await desk.act('restart', id)
    await desk.pass(59 * minutes)
    expect(await desk.vm(id)).toMatchObject({ status: 'pending', status_message: noNode.reason })
    await desk.pass(2 * minutes)
    expect(await desk.vm(id)).toMatchObject({
      status: 'error',
      status_message: `No place was found for the VM in time. ${noNode.reason} Start it again.`,
    })
    expect((await desk.app.engine.inspect(id)).power).toBe('off')
  })

  it('says what it waited for when its parts were late, and is not taken for running', async ({ desk }) => {
    const id = await desk.runningVm('x')
    desk.app.engine.hold(id, imported)
    await desk.act('restart', id)
    await desk.pass(9 * minutes)
    expect(await desk.vm(id)).toMatchObject({ status: 'starting', status_message: imported.reason })
    await desk.pass(2 * minutes)
    expect(await desk.vm(id)).toMatchObject({
      status: 'error',
      status_message: `The VM did not start within 10 minutes. ${imported.reason} Start it again.`,
    })
  })

  it('starts at once, with all others, and waits for the engine and not for a start slot', async () => {
    const desk = await deskWith({ hostMemoryMb: null, startsAtOnce: 1 })
    const ids: string[] = []
    for (let i = 0; i < 6; i++) ids.push((await desk.createVm(`vm-${i}`)).body.id)
    const [first = ''] = ids
    desk.app.engine.hold(first, noNode)
    await desk.pass(2_000)
    const states = [...(await desk.app.engine.list()).values()]
    expect(states.filter(({ power }) => power === 'booting')).toHaveLength(6)
    await desk.pass(2 * minutes)
    const vms = await desk.vms()
    expect(vms.filter(({ status }) => status === 'running')).toHaveLength(5)
    expect(vms.find(({ id }) => id === first)).toMatchObject({
      status: 'pending',
      status_message: noNode.reason,
    })
  })
})

describe('a machine that takes its time to go', () => {
  const slowMs = 20_000

  it('is asked again now and then, not all the time, and is forgotten once it has gone', async () => {
    const desk = await deskWith(withoutBin)
    const id = await desk.runningVm('x')
    const { engine, clock } = desk.app
    const { deleteMachine } = engine
    let asked = 0
    engine.deleteMachine = async (machineId) => {
      if (asked++ === 0) clock.after(slowMs, () => void deleteMachine(machineId))
    }
    await desk.deleteVm(id)
    await clock.advance(slowMs - 1_000)
    expect(await desk.namesIn('vm')).toHaveLength(1)
    expect(asked).toBeLessThan(25)
    await clock.advance(2_000)
    expect(await desk.namesIn('vm')).toEqual([])
  })

  it('is stopping until its guest has ended, and looked at as it ends', async ({ desk }) => {
    const id = await desk.runningVm('x')
    const { engine, clock } = desk.app
    const { powerOff } = engine
    let asked = 0
    engine.powerOff = async (machineId) => {
      if (asked++ === 0) clock.after(slowMs, () => void powerOff(machineId))
    }
    await desk.act('stop', id, { force: true })
    await clock.advance(slowMs - 1_000)
    expect((await desk.vm(id)).status).toBe('stopping')
    expect(asked).toBeLessThan(25)
    await clock.advance(2_000)
    expect((await desk.vm(id)).status).toBe('stopped')
  })
})

describe('a VM that was good once', () => {
  it('is not at fault when its start failed because its user ended it', async ({ desk }) => {
    const id = await desk.runningVm('x')
    await desk.act('stop', id, { force: true })
    await desk.pass(5_000)
    const starting = Promise.withResolvers<null>()
    vi.spyOn(desk.app.engine, 'startMachine').mockImplementation(() => starting.promise)
    await desk.act('start', id)
    await desk.pass(1_000)
    await desk.act('stop', id, { force: true })
    starting.reject(new EngineError('internal', 'The guest ended while it came up.'))
    await desk.pass(5_000)
    expect(await desk.vm(id)).toMatchObject({ status: 'stopped', status_message: null })
  })

  it.each(['force stop', 'delete'] as const)(
    'obeys %s at once while a look at it waits for a guest that does not answer',
    async (how) => {
      const desk = await deskWith(withoutBin)
      const id = await desk.runningVm('x')
      vi.spyOn(desk.app.engine, 'powerDown').mockImplementation(() => new Promise(() => {}))
      await desk.act('stop', id)
      await desk.pass(5_000)
      expect((await desk.vm(id)).status).toBe('stopping')
      await (how === 'delete' ? desk.deleteVm(id) : desk.act('stop', id, { force: true }))
      await desk.pass(3_000)
      expect((await desk.app.engine.inspect(id)).power).toBe(how === 'delete' ? 'absent' : 'off')
    },
  )

  it('goes on running when SSH does not answer any more, says so, and is never ended for it', async ({
    desk,
  }) => {
    const id = await desk.runningVm('x')
    desk.app.engine.closeSsh(id, true)
    await desk.app.restart()
    await desk.pass(11 * 60_000)
    const silent = await desk.vm(id)
    expect(silent.status).toBe('running')
    expect(silent.status_message).toMatch(/SSH does not respond on port 22/)
    await desk.app.clock.advance(60 * 60_000)
    expect((await desk.app.engine.inspect(id)).power).toBe('booting')
    desk.app.engine.closeSsh(id, false)
    await desk.pass(2 * minutes)
    expect(await desk.vm(id)).toMatchObject({ status: 'running', status_message: null })
  })

  it('gives its start slot back after a while, so that a silent guest keeps nobody waiting', async () => {
    const desk = await deskWith({ startsAtOnce: 1 })
    const { body: silent } = await desk.createVm('fault-never-ready')
    await desk.pass(5_000)
    const { body: next } = await desk.createVm('next')
    await desk.pass(60_000)
    expect((await desk.vm(next.id)).status_message).toMatch(/Waiting for a start slot/)
    await desk.pass(4 * 60_000)
    expect((await desk.vm(next.id)).status).toBe('running')
    expect((await desk.vm(silent.id)).status).toBe('provisioning')
  })

  it('is left alone while it cannot be read, and goes on by itself when it can be', async ({ desk }) => {
    const id = await desk.runningVm('x')
    const before = await desk.app.engine.inspect(id)
    desk.app.engine.hide(id, true)
    await desk.pass(60_000)
    const hidden = await desk.vm(id)
    expect(hidden.status).toBe('error')
    expect(hidden.status_message).toMatch(/cannot be read at the moment. The VM is left unchanged/)
    await desk.app.clock.advance(2 * 60 * 60_000)
    desk.app.engine.hide(id, false)
    await desk.pass(2 * minutes)
    expect(await desk.vm(id)).toMatchObject({ status: 'running', status_message: null })
    expect(await desk.app.engine.inspect(id)).toEqual(before)
  })

  it('keeps the reason of its fault while it cannot be read, and after', async ({ desk }) => {
    const id = await desk.runningVm('x')
    desk.app.engine.endRun(id, { how: 'crashed', reason: 'The kernel of the guest panicked.' })
    await desk.pass(2 * minutes)
    const fault = { status: 'error', status_message: expect.stringContaining('panicked') }
    expect(await desk.vm(id)).toMatchObject(fault)
    desk.app.engine.hide(id, true)
    await desk.pass(60_000)
    expect(await desk.vm(id)).toMatchObject(fault)
    desk.app.engine.hide(id, false)
    await desk.pass(2 * minutes)
    expect(await desk.vm(id)).toMatchObject(fault)
  })

  it('is not given up while it starts because the clock of the host jumps, in this server or between two', async ({
    desk,
  }) => {
    const { body: vm } = await desk.createVm('fault-never-ready')
    await desk.pass(5_000)
    expect((await desk.vm(vm.id)).status).toBe('provisioning')
    // Within the life of a session, so that the user is still signed in.
    desk.app.clock.set(desk.app.clock.now() + 11 * 60 * 60_000)
    await desk.pass(60_000)
    const isAhead = ({ status_deadline }: Vm) => Date.parse(status_deadline ?? '') > desk.app.clock.now()
    const jumped = await desk.vm(vm.id)
    expect([jumped.status, isAhead(jumped)]).toEqual(['provisioning', true])
    await desk.app.restart()
    await desk.pass(60_000)
    const restarted = await desk.vm(vm.id)
    expect([restarted.status, isAhead(restarted)]).toEqual(['provisioning', true])
    await desk.pass(11 * 60_000)
    expect((await desk.vm(vm.id)).status).toBe('failed')
  })

  it('starts again by itself when its lost root disk is there again', async ({ desk }) => {
    const id = await desk.runningVm('x')
    desk.app.engine.endRun(id, { how: 'host-restart' })
    desk.app.engine.loseRootDisk(id)
    await desk.pass(2 * minutes)
    expect(await desk.vm(id)).toMatchObject({
      status: 'error',
      status_message: expect.stringMatching(/root disk/),
    })
    desk.app.engine.findRootDisk(id)
    await desk.pass(2 * minutes)
    expect((await desk.vm(id)).status).toBe('running')
  })
})

describe('the event stream', () => {
  it('tells every change of a VM, whole, and its end', async () => {
    const desk = await deskWith(withoutBin)
    const events: { event: string; data: Vm & { deleted?: true } }[] = []
    const stop = desk.app.subscribe(desk.params.projectId, (event, data) =>
      events.push({ event, data: data as Vm }),
    )
    const id = await desk.runningVm('x')
    await desk.done(desk.deleteVm(id))
    stop()
    expect(events.every(({ event, data }) => event === 'vm' && data.id === id)).toBe(true)
    const words = events.map(({ data }) => data.status).filter((word, i, all) => word !== all[i - 1])
    expect(words).toEqual(['pending', 'creating', 'provisioning', 'running', undefined])
    expect(events.at(-1)?.data).toEqual({ id, project_id: desk.params.projectId, deleted: true })
  })
})
