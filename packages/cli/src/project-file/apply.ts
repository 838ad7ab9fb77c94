import { randomUUID } from 'node:crypto'
import type { ProjectFile } from '@slipway/contract'
import { Failure } from '../failure.ts'
import { pick } from '../names.ts'
import type { Session } from '../session.ts'
import { gone, settle } from '../settle.ts'
import { calls } from './calls.ts'
import { type Plan, type Step, sentence } from './plan.ts'
import { type SchedulePart, scheduleIn } from './schedules.ts'
import type { Seen } from './seen.ts'
import { descriptionFor } from './webhooks.ts'

/** The secret of a new webhook, by what the file calls it. */
export interface WebhookSecret {
  webhook: string
  secret: string
}

/** What new objects are made of, by what the file calls it. */
interface Sources {
  template: (text: string) => string
  sshKey: (text: string) => string
}

/** Looks up the templates and SSH keys of everything that is to be made. What is not there becomes a problem of the plan. */
export async function findSources(session: Session, file: ProjectFile, plan: Plan): Promise<Sources> {
  const [templates, keys] = await Promise.all([
    session.list('template.list', {}),
    session.list('sshKey.list', {}),
  ])
  const sources = {
    template: (text: string) => pick(templates, text, 'template'),
    sshKey: (text: string) => pick(keys, text, 'SSH key'),
  }
  for (const step of plan.steps) {
    if (step.do !== 'create' && step.do !== 'change') continue
    if (step.what !== 'vms' && step.what !== 'pools' && step.what !== 'sets') continue
    const entry = file[step.what][step.name]
    if (!entry) continue
    const finds =
      step.do === 'create'
        ? [() => sources.template(entry.template), () => sources.sshKey(entry.ssh_key)]
        : step.what === 'vms' && step.changes.some(({ field }) => field === 'ssh_key')
          ? [() => sources.sshKey(entry.ssh_key)]
          : []
    for (const find of finds)
      try {
        find()
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        plan.problems.push(`${sentence(step.what, step.name)}: ${error.message}`)
      }
  }
  return sources
}

/**
 * Takes the steps of a plan, one after the other. Each is complete when the next begins, so whoever is interrupted plans
 * again and goes on.
 *
 * @param onStep is told each step before it is taken
 * @param onSecret is told the secret of a webhook as soon as it is made: nothing shows it again
 */
export async function applyPlan(
  session: Session,
  { plan, file, seen, sources }: { plan: Plan; file: ProjectFile; seen: Seen; sources: Sources },
  { onStep, onSecret }: { onStep: (step: Step) => void; onSecret: (secret: WebhookSecret) => void },
): Promise<void> {
  let projectId = seen.project?.id ?? ''
  const ids = {
    disks: new Map(seen.disks.map(({ name, id }) => [name, id])),
    vms: new Map(seen.vms.map(({ name, id }) => [name, id])),
  }
  const settledDisks = new Set<string>()

  /** A disk that has its content, by its name. */
  async function readyDisk(name: string): Promise<string> {
    const id = ids.disks.get(name) ?? ''
    if (!settledDisks.has(name)) await settle(session, { kind: 'disk', id, projectId }, {})
    settledDisks.add(name)
    return id
  }

  const settledVm = async (name: string): Promise<string> => {
    const id = ids.vms.get(name) ?? ''
    await settle(session, { kind: 'vm', id, projectId }, {})
    return id
  }

  const once = () => ({ params: { projectId }, idempotencyKey: randomUUID() })

  async function create({ what, name }: Extract<Step, { do: 'create' }>): Promise<void> {
    switch (what) {
      case 'project': {
        const body = { name, description: file.description ?? '' }
        const { id } = await session.ask('project.create', { body, idempotencyKey: randomUUID() })
        projectId = id
        if (file.internet === false)
          await session.ask('network.update', { params: { projectId }, body: { internet: false } })
        return
      }
      case 'disks': {
        const entry = file.disks[name]
        if (!entry) return
        const { snapshot_schedule: _, ...rest } = entry
        const { id } = await session.ask('disk.create', { ...once(), body: { name, ...rest } })
        ids.disks.set(name, id)
        return
      }
      case 'vms': {
        const entry = file.vms[name]
        if (!entry) return
        const { suspend_after_minutes, snapshot_schedule: _, disks = [], ...rest } = entry
        const disk_ids = []
        for (const disk of disks) disk_ids.push(await readyDisk(disk))
        const body = { name, ...made(rest), disks: disk_ids.map((disk_id) => ({ disk_id })) }
        const { id } = await session.ask('vm.create', { ...once(), body })
        ids.vms.set(name, id)
        if (suspend_after_minutes != null)
          await session.ask('vm.update', { params: { projectId, vmId: id }, body: { suspend_after_minutes } })
        return
      }
      case 'vm_schedules':
      case 'disk_schedules':
        return setSchedule(what, name)
      case 'pools': {
        const entry = file.pools[name]
        if (entry) await session.ask('vmPool.create', { ...once(), body: { name, ...made(entry) } })
        return
      }
      case 'sets': {
        const entry = file.sets[name]
        if (entry) await session.ask('vmSet.create', { ...once(), body: { name, ...made(entry) } })
        return
      }
      case 'webhooks': {
        const entry = file.webhooks[name]
        if (!entry) return
        const body = { ...entry, description: descriptionFor(name, entry.url) }
        const { secret } = await session.ask('webhook.create', { params: { projectId }, body })
        onSecret({ webhook: name, secret })
      }
    }
  }

  /** What an object is made of, with ids in place of names. */
  function made<Entry extends { template: string; ssh_key: string }>({ template, ssh_key, ...rest }: Entry) {
    return { ...rest, template_id: sources.template(template), ssh_key_id: sources.sshKey(ssh_key) }
  }

  /** A schedule is set as a whole. */
  async function setSchedule(what: SchedulePart, name: string): Promise<void> {
    const { change: call, id: param } = calls[what]
    const id = ids[what === 'vm_schedules' ? 'vms' : 'disks'].get(name) ?? ''
    await session.call(call, { params: { projectId, [param]: id }, body: scheduleIn(file, what, name) })
  }

  async function change({ what, name, id, changes }: Extract<Step, { do: 'change' }>): Promise<void> {
    if (what === 'vm_schedules' || what === 'disk_schedules') return setSchedule(what, name)
    const body = Object.fromEntries(
      changes.map(({ field, to }) =>
        field === 'ssh_key' ? ['ssh_key_id', sources.sshKey(String(to))] : [field, to],
      ),
    )
    const { change: call, id: param } = calls[what]
    if (call) await session.call(call, { params: { projectId, ...(param && { [param]: id }) }, body })
  }

  async function remove({ what, id }: Extract<Step, { do: 'delete' }>): Promise<void> {
    const { delete: call, id: param } = calls[what]
    await session.call(call, { params: { projectId, [param]: id } })
    // A VM that goes leaves its disks only when it is gone.
    if (what === 'vms') await settle(session, { kind: 'vm', id, projectId }, { status: gone })
  }

  for (const step of plan.steps) {
    onStep(step)
    switch (step.do) {
      case 'create':
        await create(step)
        break
      case 'change':
        await change(step)
        break
      case 'detach': {
        await settledVm(step.vm)
        const diskId = ids.disks.get(step.disk) ?? ''
        await session.ask('disk.detach', { params: { projectId, diskId } })
        break
      }
      case 'attach': {
        const [diskId, vm_id] = [await readyDisk(step.disk), await settledVm(step.vm)]
        await session.ask('disk.attach', { params: { projectId, diskId }, body: { vm_id } })
        break
      }
      case 'delete':
        await remove(step)
    }
  }
}
