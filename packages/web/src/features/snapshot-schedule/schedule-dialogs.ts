/** The dialogs of snapshot schedules by their names in the URL. */
export const scheduleDialogs = {
  set: 'snapshot-schedule',
  delete: 'delete-snapshot-schedule',
} as const
