import { readFileSync } from 'node:fs'
import { isLoopback } from '@slipway/contract'
import { z } from 'zod'

/** Settings of one provider, by the ends of their names. */
const Provider = z.object({
  ISSUER: z
    .url({
      protocol: /^https?$/,
      error: 'Enter the URL of the issuer, such as https://id.example.com/realms/main',
    })
    .refine(isSafe, 'Enter a URL that begins with https: (http: only for this host)'),
  CLIENT_ID: z.string({ error: 'Enter the client ID that the provider gave you' }),
  CLIENT_SECRET: z.string().optional(),
  CLIENT_SECRET_FILE: z.string().optional(),
  LABEL: z.string().max(40, 'Use at most 40 characters').optional(),
  SCOPE: z
    .string()
    .refine(
      (scope) => scope.split(/\s+/).includes('openid'),
      'Name the scope openid, such as openid email profile',
    )
    .default('openid email profile'),
  GROUPS_CLAIM: z.string().default('groups'),
  ADMIN_GROUP: z.string().optional(),
  TRUST_EMAIL: z.enum(['on', 'off'], 'Enter on or off').default('off'),
})
const settingNames = Object.keys(Provider.shape)

/** Tokens and secrets must not go over a network in the clear. */
function isSafe(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

const titleOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/**
 * Reads the providers that `SLIPWAY_OIDC` names, and adds what is wrong to `problems`, as lines that name the setting. An
 * empty setting means the same as none.
 */
export function readOidc(environment: NodeJS.ProcessEnv, problems: string[]) {
  const names = (environment.SLIPWAY_OIDC ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean)
  const wrong = (setting: string, message: string) => void problems.push(`${setting}: ${message}`)
  if (names.some((name) => !/^[a-z][a-z0-9]{0,19}$/.test(name)) || new Set(names).size < names.length)
    wrong('SLIPWAY_OIDC', 'Enter different names of letters and digits, such as keycloak,google')
  if (problems.length > 0) return []

  const of = (name: string) => `SLIPWAY_OIDC_${name.toUpperCase()}_`
  refuseUnknown(environment, names.map(of), wrong)
  const providers = names.flatMap((name) => readProvider(environment, name, of(name), wrong))
  for (const [at, { name, issuer }] of providers.entries())
    if (providers.findIndex((one) => one.issuer === issuer) < at)
      wrong(`${of(name)}ISSUER`, 'Another provider has the same issuer: name each issuer once')
  return providers
}

type Wrong = (setting: string, message: string) => void

function readProvider(environment: NodeJS.ProcessEnv, name: string, prefix: string, wrong: Wrong) {
  const given = settingNames.map((end) => [end, environment[prefix + end]?.trim() || undefined])
  const parsed = Provider.safeParse(Object.fromEntries(given))
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) wrong(`${prefix}${path.join('.')}`, message)
    return []
  }
  const s = parsed.data
  const clientSecret = secretOf(s, prefix, wrong)
  if (clientSecret === null) return []
  return [
    {
      name,
      label: s.LABEL ?? titleOf(name),
      issuer: s.ISSUER,
      clientId: s.CLIENT_ID,
      clientSecret,
      scope: s.SCOPE,
      groupsClaim: s.GROUPS_CLAIM,
      adminGroup: s.ADMIN_GROUP ?? null,
      trustsEmail: s.TRUST_EMAIL === 'on',
    },
  ]
}

function secretOf(s: z.infer<typeof Provider>, prefix: string, wrong: Wrong): string | null {
  const setting = `${prefix}CLIENT_SECRET`
  if (s.CLIENT_SECRET !== undefined && s.CLIENT_SECRET_FILE !== undefined) {
    wrong(setting, `Set either this or ${setting}_FILE`)
    return null
  }
  if (s.CLIENT_SECRET !== undefined) return s.CLIENT_SECRET
  if (s.CLIENT_SECRET_FILE === undefined) {
    wrong(setting, `Enter the client secret, or name a file that holds it in ${setting}_FILE`)
    return null
  }
  try {
    const secret = readFileSync(s.CLIENT_SECRET_FILE, 'utf8').trim()
    if (secret !== '') return secret
    wrong(`${setting}_FILE`, `${s.CLIENT_SECRET_FILE} is empty`)
  } catch (error) {
    wrong(
      `${setting}_FILE`,
      `The file cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  return null
}

/** A slip in a name would otherwise leave out who may be an administrator, in silence. */
function refuseUnknown(environment: NodeJS.ProcessEnv, prefixes: readonly string[], wrong: Wrong): void {
  for (const [setting, value] of Object.entries(environment)) {
    if (!setting.startsWith('SLIPWAY_OIDC_') || !value) continue
    const prefix = prefixes.find((one) => setting.startsWith(one))
    if (prefix === undefined) wrong(setting, 'SLIPWAY_OIDC does not name this provider')
    else if (!settingNames.includes(setting.slice(prefix.length)))
      wrong(setting, `Use one of ${settingNames.join(', ')} after ${prefix}`)
  }
}
