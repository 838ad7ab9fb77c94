import path from 'node:path'
import { isEmail } from '@slipway/contract'
import { z } from 'zod'

/** An empty variable means the same as none. */
const text = z.string().trim().min(1)
const optional = z.preprocess((value) => (value === '' ? undefined : value), text.optional())

const Settings = z.object({
  SLIPWAY_HOST: text.default('127.0.0.1'),
  SLIPWAY_PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  SLIPWAY_DATA_DIR: text.default('data'),
  /** Where people reach the console; mailed links point there and `https:` makes cookies secure. */
  SLIPWAY_PUBLIC_URL: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  /** Addresses of reverse proxies in front, with commas; only they are believed about who asks. */
  SLIPWAY_TRUSTED_PROXIES: optional,
  SLIPWAY_ENGINE: z.enum(['qemu', 'simulated']).default('qemu'),
  /** How many times faster than life the simulated engine runs. */
  SLIPWAY_SIMULATED_SPEED: z.coerce.number().positive().default(1),
  SLIPWAY_SMTP_URL: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.url({ protocol: /^smtps?$/ }).optional(),
  ),
  SLIPWAY_MAIL_FROM: text.default('Slipway <no-reply@localhost>'),
  SLIPWAY_PRODUCT_NAME: text.default('Slipway'),
  SLIPWAY_SUPPORT_EMAIL: text.default('support@localhost'),
  SLIPWAY_LEGAL_EMAIL: text.default('legal@localhost'),
  SLIPWAY_PRIVACY_EMAIL: text.default('privacy@localhost'),
  SLIPWAY_MAX_VMS_PER_PROJECT: z.coerce.number().int().min(1).default(5000),
  /** E-mail addresses of who may add templates, with commas; none lets every signed-in user. */
  SLIPWAY_ADMINS: z
    .string()
    .default('')
    .transform((list) => (list.trim() === '' ? [] : list.split(',').map((one) => one.trim().toLowerCase())))
    .refine((addresses) => addresses.every(isEmail), 'Name e-mail addresses, separated by commas'),
  SLIPWAY_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('warn'),
  /** Fills an empty database with an account and VMs to look at; simulated engine only. */
  SLIPWAY_SEED: optional,
})

export type Config = ReturnType<typeof readConfig>

/** Reads and checks the settings; throws one error that names every wrong variable. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const parsed = Settings.safeParse(environment)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`These settings are not valid:\n${lines.join('\n')}`)
  }
  const s = parsed.data
  return {
    host: s.SLIPWAY_HOST,
    port: s.SLIPWAY_PORT,
    dataDir: path.resolve(s.SLIPWAY_DATA_DIR),
    publicUrl: s.SLIPWAY_PUBLIC_URL ? new URL(s.SLIPWAY_PUBLIC_URL) : null,
    trustedProxies: s.SLIPWAY_TRUSTED_PROXIES?.split(',').map((address) => address.trim()) ?? [],
    engine: s.SLIPWAY_ENGINE,
    simulatedSpeed: s.SLIPWAY_SIMULATED_SPEED,
    smtpUrl: s.SLIPWAY_SMTP_URL ?? null,
    mailFrom: s.SLIPWAY_MAIL_FROM,
    productName: s.SLIPWAY_PRODUCT_NAME,
    contacts: {
      support: s.SLIPWAY_SUPPORT_EMAIL,
      legal: s.SLIPWAY_LEGAL_EMAIL,
      privacy: s.SLIPWAY_PRIVACY_EMAIL,
    },
    maxVmsPerProject: s.SLIPWAY_MAX_VMS_PER_PROJECT,
    admins: s.SLIPWAY_ADMINS,
    logLevel: s.SLIPWAY_LOG_LEVEL,
    seed: s.SLIPWAY_SEED !== undefined,
  }
}
