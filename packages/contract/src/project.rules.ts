export const projectTexts = {
  nameMissing: 'Please enter a project name',
  hasVms: 'Cannot delete (VMs exist)',
  hasProtectedVms: 'A VM in this project is protected against deletion. Turn its protection off first.',
  busy: 'A snapshot or a restore in this project is under way. Delete the project for good once it has ended.',
} as const
