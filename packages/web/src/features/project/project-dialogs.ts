/** The dialogs of the page of projects by their names in the URL. */
export const projectDialogs = { create: 'new-project', delete: 'delete-project' } as const
