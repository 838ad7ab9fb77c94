/** By their names in the URL. */
export const binDialogs = {
  delete: 'delete-for-good',
  empty: 'empty-bin',
} as const
