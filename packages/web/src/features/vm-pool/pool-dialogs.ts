/** The dialog before a VM pool is deleted, by its name in the URL. */
export const deletePoolDialog = 'delete-pool'
