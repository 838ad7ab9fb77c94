/** By their names in the URL. */
export const binDialogs = {
  delete: 'delete-for-good',
} as const
