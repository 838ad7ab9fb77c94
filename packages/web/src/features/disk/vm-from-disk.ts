import { cutToFit, type Disk, diskTexts, nameLimit, type VmCreate, vmTexts } from '@slipway/contract'

/** The small form that creates a VM with a disk; a choice not made yet is an empty text. */
export interface VmFromDiskForm {
  name: string
  templateId: string
  sshKeyId: string
  persistent: boolean
}

const suffix = '-vm'

/** `<disk>-vm`, however long the disk's name is. */
export function defaultVmName(disk: Pick<Disk, 'name'>): string {
  return cutToFit(disk.name, nameLimit - suffix.length) + suffix
}

/** The first rule that the form breaks; null when it can be sent. */
export function firstBrokenRule(form: VmFromDiskForm, projectId: string | undefined): string | null {
  if (!projectId) return diskTexts.projectMissing
  if (form.name.trim() === '') return vmTexts.nameMissing
  if (form.templateId === '') return vmTexts.templateMissing
  // Not the words of the large form, which go on with "for secure access".
  return form.sshKeyId === '' ? 'Please select an SSH key' : null
}

export function toBody(form: VmFromDiskForm, disk: Pick<Disk, 'id' | 'project_id'>): VmCreate {
  return {
    name: form.name.trim(),
    template_id: form.templateId,
    ssh_key_id: form.sshKeyId,
    persistent: form.persistent,
    disks: [{ disk_id: disk.id }],
    project_id: disk.project_id,
  }
}
