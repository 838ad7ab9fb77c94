/** The dialogs of a disk snapshot by their names in the URL. */
export const diskSnapshotDialogs = { createDisk: 'create-disk', delete: 'delete-disk-snapshot' } as const
