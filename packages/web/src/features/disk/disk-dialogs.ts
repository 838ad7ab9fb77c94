import type { Disk, Operation } from '@slipway/contract'

/** The dialogs of a disk by their names in the URL. */
export const diskDialogs = {
  attach: 'attach-disk',
  /** From the VM's side: which disk. */
  attachTo: 'attach-disk-to-vm',
  detach: 'detach-disk',
  createVm: 'create-vm-from-disk',
  edit: 'edit-disk',
  delete: 'delete-disk',
} as const

/** The creation of a disk as the operation that it is. */
export const creationOf = ({ id, name }: Disk): Pick<Operation, 'id' | 'action' | 'object'> => ({
  id,
  action: 'disk.create',
  object: { type: 'disk', id, name },
})
