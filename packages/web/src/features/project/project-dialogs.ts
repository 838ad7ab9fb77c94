/** The dialogs about projects by their names in the URL. The frame has the first two, on every page. */
export const projectDialogs = {
  manage: 'manage-projects',
  create: 'new-project',
  delete: 'delete-project',
  deleteForGood: 'delete-project-for-good',
  emptyBin: 'empty-bin',
} as const
