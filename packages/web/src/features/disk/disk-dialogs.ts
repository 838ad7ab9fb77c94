/** The dialogs of a disk by their names in the URL. */
export const diskDialogs = {
  attach: 'attach-disk',
  /** From the VM's side: which disk. */
  attachTo: 'attach-disk-to-vm',
  detach: 'detach-disk',
  createVm: 'create-vm-from-disk',
  delete: 'delete-disk',
} as const
