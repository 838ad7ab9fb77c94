/** What an entry of the activity log is about. */
export const activityObjects = [
  'account',
  'project',
  'ssh_key',
  'api_token',
  'passkey',
  'template',
  'vm',
  'vm_pool',
  'vm_set',
  'disk',
  'vm_snapshot',
  'disk_snapshot',
  'share',
  'batch',
  'webhook',
] as const
export type ActivityObject = (typeof activityObjects)[number]

/** What kind of thing happened, for filters and colours. */
export const activityKinds = [
  /** Somebody asked for something. */
  'wish',
  /** It became something else. */
  'change',
  /** It went wrong. */
  'failure',
  /** What had gone wrong was put right without anybody's doing. */
  'repair',
  /** Somebody signed in or out, or tried to; came in by SSH or opened a console. */
  'access',
] as const
export type ActivityKind = (typeof activityKinds)[number]

/** As what the activity of everybody is exported: JSON Lines, or a table. */
export const activityFormats = ['ndjson', 'csv'] as const

export const activityTexts = {
  exportRefused: 'Only administrators (SLIPWAY_ADMINS) can export the activity of all accounts',
} as const

/** How many entries an answer has at most. */
export const activityPage = { default: 50, max: 200 } as const
