/** The dialogs of a VM snapshot by their names in the URL. */
export const vmSnapshotDialogs = {
  restore: 'restore-vm',
  createVms: 'new-vm',
  delete: 'delete-snapshot',
} as const
