import {
  bytesOfDisks,
  formatCpu,
  formatMemory,
  gibibyte,
  groupDiskTexts,
  parseDiskSize,
  type Template,
} from '@slipway/contract'
import { sizeText } from '../disk/size-text.ts'
import { rootDiskBody } from '../vm/root-disk.ts'
import { emptySize, type SizeDraft, sizeBody, sizeOf, type VmSize } from '../vm/vm-size.ts'

/** A disk that every VM of the group shall have, as the user types it. Only new blank ones can be asked for. */
export interface DiskDraft {
  type: 'new'
  name: string
  size: string
  source: 'EMPTY'
  image_url: string
  snapshot_id: string
  is_root: boolean
}

export const newDiskDraft: DiskDraft = {
  type: 'new',
  name: '',
  size: '10Gi',
  source: 'EMPTY',
  image_url: '',
  snapshot_id: '',
  is_root: false,
}

/** What the forms of pools and sets have in common; a choice not made yet is an empty text. */
export interface GroupForm extends SizeDraft {
  name: string
  description: string
  templateId: string
  sshKeyId: string
  /** The VM snapshot that its VMs are made of, which then have its disks and keep their root disk; empty: none. */
  snapshotId: string
  persistent: boolean
  /** The size of each root disk as it is typed; empty: as the template makes it. */
  rootDisk: string
  disks: DiskDraft[]
  /** What each VM runs at its first boot; not those of a snapshot. */
  startScript: string
}

export const emptyGroupForm: GroupForm = {
  name: '',
  description: '',
  templateId: '',
  sshKeyId: '',
  ...emptySize,
  snapshotId: '',
  persistent: true,
  rootDisk: '',
  disks: [],
  startScript: '',
}

/** What both calls send; the sizes are for the pool and the set to add. */
export function groupBody(form: GroupForm) {
  return {
    name: form.name.trim(),
    description: form.description.trim(),
    template_id: form.templateId,
    ssh_key_id: form.sshKeyId,
    ...(form.snapshotId === ''
      ? {
          ...sizeBody(form),
          persistent: form.persistent,
          ...rootDiskBody(form.rootDisk),
          disks: form.disks.map(({ name, size, source }) => ({
            name: name.trim(),
            size: sizeText(size),
            source,
          })),
          ...(form.startScript.trim() === '' ? {} : { start_script: form.startScript }),
        }
      : { persistent: true, disks: [], snapshot_id: form.snapshotId }),
  }
}

/** By the names of the wire. */
export type GroupField =
  | 'name'
  | 'project'
  | 'ssh_key_id'
  | 'template_id'
  | 'cpu'
  | 'memory_mb'
  | 'min_size'
  | 'max_size'
  | 'desired_size'
  | 'replicas'
  | 'root_disk_gb'
  | 'disks'
  | 'description'
  | 'start_script'

export interface BrokenRule {
  field: GroupField
  text: string
}

const fieldOrder: readonly GroupField[] = [
  'name',
  'project',
  'ssh_key_id',
  'template_id',
  'cpu',
  'memory_mb',
  'min_size',
  'max_size',
  'desired_size',
  'replicas',
  'root_disk_gb',
  'disks',
  'description',
  'start_script',
]

/**
 * The rules that a form breaks, in the order they are told. `issues` are what the contract says of its body, and
 * `projectMissing` is the sentence for a form without a project.
 */
export function inOrder(
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
  projectId: string | undefined,
  projectMissing: string,
): BrokenRule[] {
  return fieldOrder.flatMap((field): BrokenRule[] => {
    if (field === 'project') return projectId ? [] : [{ field, text: projectMissing }]
    const issue = issues.find(({ path }) => path[0] === field)
    return issue ? [{ field, text: issue.message }] : []
  })
}

/** What is wrong with each field of a disk, for beside the field. */
export function diskComplaints({ name, size }: DiskDraft): {
  name: string | undefined
  size: string | undefined
} {
  const parsed = parseDiskSize(size)
  return {
    name: name.trim() === '' ? groupDiskTexts.nameMissing : undefined,
    size: size.trim() === '' ? groupDiskTexts.sizeMissing : typeof parsed === 'string' ? parsed : undefined,
  }
}

/** What each VM will have. Those made of a snapshot are like its VM, if that is known. */
export const memberSize = (
  form: Pick<GroupForm, 'snapshotId' | 'cpu' | 'memoryMb'>,
  template: Pick<Template, 'default_cpu' | 'default_memory_mb'>,
  vmOfSnapshot: VmSize | undefined,
): VmSize => (form.snapshotId === '' ? sizeOf(form, template) : (vmOfSnapshot ?? sizeOf(emptySize, template)))

/** What a number of VMs take together, as texts. Disks whose size cannot be read do not count. */
export function together(
  count: number,
  size: VmSize,
  disks: readonly { size: string }[],
): { cpu: string; memory: string; disks: string } {
  const perVm = bytesOfDisks(disks) / gibibyte
  return {
    cpu: formatCpu(count * size.cpu),
    memory: formatMemory(count * size.memory_mb),
    disks: perVm > 0 ? `${count * perVm}Gi` : 'None',
  }
}

/** `1 VM`, `2 VMs`. */
export const countVms = (count: number): string => (count === 1 ? '1 VM' : `${count} VMs`)
