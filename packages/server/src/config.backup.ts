import path from 'node:path'
import { z } from 'zod'

/** What the settings of backups outside the host may be called; any other name is a mistake. */
const Settings = z.object({
  REPOSITORY: z
    .string()
    .refine(
      (place) => path.isAbsolute(place) || /^s3:https?:\/\/[^/@]+\/[^/]+/.test(place),
      'Enter the full path of a directory, or s3:https://HOST/BUCKET/FOLDER',
    )
    .optional(),
  PASSWORD_FILE: z.string().refine(path.isAbsolute, 'Enter the full path of a file').optional(),
  S3_KEY_ID: z.string().optional(),
  S3_SECRET: z.string().optional(),
  S3_SECRET_FILE: z.string().refine(path.isAbsolute, 'Enter the full path of a file').optional(),
  S3_REGION: z.string().optional(),
  SCHEDULE: z
    .string()
    .default('off')
    .transform((text, ctx) => {
      const schedule = parseBackupSchedule(text)
      if (schedule !== undefined) return schedule
      ctx.addIssue({
        code: 'custom',
        message: 'Enter off, a time of day in UTC such as 02:30, or hours from 1h to 168h such as 6h',
      })
      return z.NEVER
    }),
  KEEP_DAILY: z.coerce.number().int().min(1).max(3650).default(7),
  KEEP_WEEKLY: z.coerce.number().int().min(0).max(520).default(4),
  KEEP_MONTHLY: z.coerce.number().int().min(0).max(240).default(6),
})
const prefix = 'SLIPWAY_BACKUP_'

/** When backups are made by themselves. */
type BackupSchedule = { everyHours: number } | { atMinute: number } | null

/** Reads `off`, `02:30` or `6h`; undefined when it is none of them. */
function parseBackupSchedule(text: string): BackupSchedule | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'off') return null
  const hours = /^(\d{1,3})h$/.exec(word)?.[1]
  if (hours !== undefined && Number(hours) >= 1 && Number(hours) <= 168) return { everyHours: Number(hours) }
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(word) ?? []
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) return undefined
  return { atMinute: Number(hour) * 60 + Number(minute) }
}

/**
 * Reads where backups outside the host are kept, and adds what is wrong to `problems`, as lines that name the setting.
 * Null when no repository is named. An empty setting means the same as none.
 */
export function readBackupSettings(environment: NodeJS.ProcessEnv, dataDir: string, problems: string[]) {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || !value?.trim()) continue
    const own = name.slice(prefix.length)
    if (own in Settings.shape) given[own] = value.trim()
    else
      problems.push(
        `${name}: no such setting; there are ${Object.keys(Settings.shape)
          .map((one) => prefix + one)
          .join(', ')}`,
      )
  }
  const parsed = Settings.safeParse(given)
  if (!parsed.success) {
    for (const { path: at, message } of parsed.error.issues)
      problems.push(`${prefix}${at.join('.')}: ${message}`)
    return null
  }
  const s = parsed.data
  const wrong = (name: keyof typeof s, message: string) => void problems.push(`${prefix}${name}: ${message}`)
  if (s.REPOSITORY === undefined) {
    if (s.SCHEDULE !== null) wrong('REPOSITORY', 'required with SLIPWAY_BACKUP_SCHEDULE')
    return null
  }
  const isS3 = s.REPOSITORY.startsWith('s3:')
  if (s.PASSWORD_FILE === undefined)
    wrong(
      'PASSWORD_FILE',
      'required with SLIPWAY_BACKUP_REPOSITORY: the file with the password that encrypts backups',
    )
  if (!isS3 && !path.relative(dataDir, s.REPOSITORY).startsWith('..'))
    wrong('REPOSITORY', 'lies in the data directory; name a directory on another disk or host')
  if (isS3 && s.S3_KEY_ID === undefined) wrong('S3_KEY_ID', 'required with an S3 repository')
  if (isS3 && (s.S3_SECRET === undefined) === (s.S3_SECRET_FILE === undefined))
    wrong('S3_SECRET_FILE', 'required with an S3 repository, unless SLIPWAY_BACKUP_S3_SECRET is set')
  return {
    repository: s.REPOSITORY,
    passwordFile: s.PASSWORD_FILE ?? '',
    s3: isS3
      ? {
          keyId: s.S3_KEY_ID ?? '',
          secret: s.S3_SECRET ?? null,
          secretFile: s.S3_SECRET_FILE ?? null,
          region: s.S3_REGION ?? null,
        }
      : null,
    schedule: s.SCHEDULE,
    keep: { daily: s.KEEP_DAILY, weekly: s.KEEP_WEEKLY, monthly: s.KEEP_MONTHLY },
  }
}
