/** Said of what is not there: by the server, and by the page that would show it. */
export const missing = {
  projectNotFound: 'Project not found',
  vmNotFound: 'VM not found',
  vmPoolNotFound: 'VM Pool not found',
  vmSetNotFound: 'VM Set not found',
  vmSnapshotNotFound: 'Snapshot not found',
  diskNotFound: 'Disk not found',
  diskSnapshotNotFound: 'Disk snapshot not found',
  batchNotFound: 'Batch not found. Batches are deleted seven days after they have ended.',
  binItemNotFound: 'Not found in the bin',
  operationNotFound: 'Operation not found. It may have ended already.',
  sshKeyNotFound: 'SSH key not found',
  notFound: 'Not found',
} as const
