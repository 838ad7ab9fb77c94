export const projectTexts = {
  nameMissing: 'Please enter a project name',
  hasVms: 'Cannot delete (VMs exist)',
} as const
