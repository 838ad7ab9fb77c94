/** The dialog before a VM set is deleted, by its name in the URL. */
export const deleteSetDialog = 'delete-set'
