/** The dialogs of a VM by their names in the URL. */
export const vmDialogs = {
  ssh: 'ssh',
  stop: 'stop-vm',
  forceStop: 'force-stop-vm',
  restart: 'restart-vm',
  edit: 'edit-vm',
  fork: 'fork-vm',
  delete: 'delete-vm',
} as const
