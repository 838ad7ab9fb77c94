import { type Disk, messages, type Parsed, type Vm, type vmApi, vmCan, vmTexts } from '@slipway/contract'
import type { DiskService } from '../disk/disk.service.ts'
import type { Publish } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse, require409 } from '../lib/problem.ts'
import type { ProjectService } from '../project/project.service.ts'
import type { SshKeyService } from '../ssh-key/ssh-key.service.ts'
import type { TemplateService } from '../template/template.service.ts'
import type { VmRepo } from './vm.repo.ts'
import { changed, toWire, type VmChange, type VmRecord } from './vm.state.ts'

type VmCreateBody = Parsed<typeof vmApi.create>['body']

export type VmService = ReturnType<typeof makeVmService>

export interface VmServiceOptions {
  repo: VmRepo
  disks: DiskService
  projects: ProjectService
  keys: SshKeyService
  templates: TemplateService
  /** Asks the reconciler to look at a VM soon. */
  kick: (vmId: string) => void
  publish: Publish
  /** Whether anybody watches a project; what nobody hears is not even looked up. */
  isWatched: (projectId: string) => boolean
  clock: Clock
  maxVmsPerProject: number
}

type Present = VmRecord & { projectId: string }

/** Whether a record is a VM the user still has, in that project. */
const isPresent = (vm: VmRecord | null, projectId: string): vm is Present =>
  vm !== null && !vm.wanted.deleted && vm.projectId === projectId

export function makeVmService(options: VmServiceOptions) {
  const { repo, disks, projects, keys, templates, kick, publish, isWatched, clock } = options

  async function wire(vm: Present): Promise<Vm> {
    const own = (await disks.ofProject(vm.projectId)).filter((disk) => disk.vm_id === vm.id)
    return toWire(vm, own)
  }

  async function announce(vm: VmRecord): Promise<void> {
    if (isPresent(vm, vm.projectId ?? '') && isWatched(vm.projectId))
      publish(vm.projectId, 'vm', await wire(vm))
  }

  /** Stores a wish after `allowed` agreed to it, tells everybody and wakes the reconciler. */
  async function wish(
    userId: string,
    projectId: string,
    vmId: string,
    allowed: (vm: VmRecord) => true | string,
    change: (vm: VmRecord) => VmChange,
  ): Promise<Vm> {
    await projects.own(userId, projectId)
    const vm = await repo.change(vmId, (current) => {
      if (!isPresent(current, projectId)) throw new Problem(404, messages.vmNotFound)
      require409(allowed(current))
      return changed(current, change(current), clock.now())
    })
    if (!isPresent(vm, projectId)) throw new Problem(404, messages.vmNotFound)
    kick(vmId)
    await announce(vm)
    return wire(vm)
  }

  return {
    /** Tells whoever watches the project what a VM looks like now. */
    announce,

    async list(userId: string, projectId: string): Promise<Vm[]> {
      await projects.own(userId, projectId)
      const [records, all] = await Promise.all([repo.list(projectId), disks.ofProject(projectId)])
      const byVm = Map.groupBy(all, (disk: Disk) => disk.vm_id)
      return records
        .filter((vm) => isPresent(vm, projectId))
        .map((vm) => {
          const well = vm.status === 'running' || vm.status === 'stopped'
          return toWire(well ? { ...vm, steps: [] } : vm, byVm.get(vm.id) ?? [])
        })
    },

    async get(userId: string, projectId: string, vmId: string): Promise<Vm> {
      await projects.own(userId, projectId)
      const vm = await repo.find(vmId)
      if (!isPresent(vm, projectId)) throw new Problem(404, messages.vmNotFound)
      return wire(vm)
    },

    async create(userId: string, projectId: string, input: VmCreateBody): Promise<Vm> {
      const project = await projects.own(userId, projectId)
      if (input.project_id !== undefined && input.project_id !== project.id) {
        throw refuse('project_id', vmTexts.projectMismatch)
      }
      const template = await templates.find(input.template_id)
      if (!template) throw refuse('template_id', vmTexts.templateMissing)
      const key = await keys.find(userId, input.ssh_key_id)
      if (!key) throw refuse('ssh_key_id', vmTexts.sshKeyMissing)
      const diskIds = input.disks.map((disk) => disk.disk_id)
      const projectDisks = diskIds.length > 0 ? await disks.ofProject(projectId) : []
      if (diskIds.some((id) => !projectDisks.some((disk) => disk.id === id))) {
        throw refuse('disks', vmTexts.diskMissing)
      }
      if ((await repo.count(projectId)) >= options.maxVmsPerProject) {
        throw new Problem(409, `This project has reached its limit of ${options.maxVmsPerProject} VMs`)
      }

      const now = clock.now()
      const vm: Present = {
        id: newId(now),
        projectId,
        name: input.name,
        templateId: template.id,
        templateName: template.name,
        imageId: template.imageId,
        sshKeyId: key.id,
        sshKeyName: key.name,
        sshPublicKey: key.public_key,
        cpu: template.default_cpu,
        memoryMb: template.default_memory_mb,
        persistent: input.persistent,
        vmpoolId: null,
        vmsetId: null,
        createdAt: isoTime(now),
        version: 1,
        wanted: { power: 'on', force: false, restarts: 0, deleted: false, restore: false },
        known: {
          admitted: false,
          provisioned: false,
          restarts: 0,
          judgedRun: null,
          fault: null,
          restorePrepared: false,
        },
        restore: null,
        seenPower: 'absent',
        address: null,
        status: 'pending',
        statusSince: now,
        statusMessage: null,
        steps: [],
      }
      const taken = await repo.insert(vm, diskIds)
      if (taken) {
        const name = projectDisks.find((disk) => disk.id === taken)?.name ?? ''
        throw new Problem(409, `Disk "${name}" is not available`)
      }
      kick(vm.id)
      await announce(vm)
      return wire(vm)
    },

    start: (userId: string, projectId: string, vmId: string): Promise<Vm> =>
      wish(userId, projectId, vmId, vmCan.start, () => ({
        wanted: { power: 'on', force: false },
        known: { fault: null },
        statusMessage: null,
        steps: [],
      })),

    stop: (userId: string, projectId: string, vmId: string, force: boolean): Promise<Vm> =>
      wish(userId, projectId, vmId, force ? vmCan.forceStop : vmCan.stop, (vm) => ({
        wanted: { power: 'off', force: force || vm.wanted.force },
        statusMessage: null,
      })),

    restart: (userId: string, projectId: string, vmId: string): Promise<Vm> =>
      wish(userId, projectId, vmId, vmCan.restart, (vm) => ({
        wanted: { restarts: vm.wanted.restarts + 1, force: false },
        statusMessage: null,
      })),

    /** Gone for the user at once; the reconciler ends the guest and removes its files. */
    async delete(userId: string, projectId: string, vmId: string): Promise<void> {
      await projects.own(userId, projectId)
      const beingSnapshotted = await repo.isBeingSnapshotted(vmId)
      const gone = (current: VmRecord) => {
        if (!isPresent(current, projectId)) throw new Problem(404, messages.vmNotFound)
        if (beingSnapshotted) throw new Problem(409, vmTexts.beingSnapshotted)
        if (current.restore) throw new Problem(409, vmTexts.beingRestored)
        return changed(current, { wanted: { deleted: true, power: 'off', force: true } }, clock.now())
      }
      const freed = (await disks.ofProject(projectId)).filter((disk) => disk.vm_id === vmId)
      const vm = await repo.change(vmId, gone, repo.freeDisks(vmId))
      if (!vm) throw new Problem(404, messages.vmNotFound)
      publish(projectId, 'vm', { id: vmId, deleted: true })
      for (const disk of freed)
        publish(projectId, 'disk', { ...disk, status: 'available', vm_id: null, vm_name: null })
      kick(vmId)
    },

    /** Puts a VM back to a snapshot, which the caller has checked; what it is now becomes the snapshot `safetyId`. */
    async restore(
      userId: string,
      projectId: string,
      vmId: string,
      to: { snapshotId: string; safetyId: string },
    ): Promise<Vm> {
      if (await repo.isBeingSnapshotted(vmId)) throw new Problem(409, vmTexts.beingSnapshotted)
      return wish(userId, projectId, vmId, vmCan.restore, (vm) => ({
        restore: to,
        // What broke does not start by itself; the user decides when.
        wanted: { force: false, ...(vm.status === 'error' && { power: 'off' }) },
        known: { restorePrepared: false },
        statusMessage: null,
      }))
    },

    /** Tells whoever watches what a VM looks like now. */
    async announceById(vmId: string): Promise<void> {
      const vm = await repo.find(vmId)
      if (vm) await announce(vm)
    },
  }
}
