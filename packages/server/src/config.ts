import { isIP } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import {
  addressPlaces,
  binDaysDefault,
  diskSizeLimitGi,
  gibibyte,
  isEmail,
  isLoopback,
  limitNames,
  openSignUp,
  type QuotaLimits,
  type QuotaScope,
  type ScalingPolicy,
  type SignUpRule,
  scalingDefaults,
  uploadHoursDefault,
} from '@slipway/contract'
import { z } from 'zod'
import { readBackupSettings } from './config.backup.ts'
import { readOidc } from './config.oidc.ts'
import { riskOfShareDomain } from './config.share-domain.ts'
import { isPrivate, parseRange, type Range } from './lib/address-range.ts'
import { makeAddressList } from './lib/client-address.ts'

/** An empty variable means the same as none. */
const text = z.string().trim().min(1)
const optional = z.preprocess((value) => (value === '' ? undefined : value), text.optional())

/** Null when it is not set. */
const limitOf = (amount: z.ZodNumber) =>
  z
    .preprocess((value) => (value === '' ? undefined : value), z.coerce.number().pipe(amount).optional())
    .transform((limit) => limit ?? null)
const quotaCount = limitOf(z.int().min(0))
const quotaGb = limitOf(z.number().min(0))
/** Undefined when it is not set; null for none. */
const quotaBinGb = z.preprocess(
  (value) => (value === '' ? undefined : value),
  z.union([z.literal('none').transform(() => null), z.coerce.number().pipe(z.number().min(0))]).optional(),
)
const gbTo = (unit: number, gb: number | null) => (gb === null ? null : Math.round(gb * unit))

/** Where disks or snapshots have a limit, the bin is no way around it. */
function binGbOf(settings: {
  SLIPWAY_QUOTA_BIN_GB?: number | null | undefined
  SLIPWAY_QUOTA_DISK_GB: number | null
  SLIPWAY_QUOTA_SNAPSHOT_GB: number | null
}): number | null {
  const {
    SLIPWAY_QUOTA_BIN_GB: bin,
    SLIPWAY_QUOTA_DISK_GB: disks,
    SLIPWAY_QUOTA_SNAPSHOT_GB: snapshots,
  } = settings
  if (bin !== undefined) return bin
  return disks === null && snapshots === null ? null : (disks ?? 0) + (snapshots ?? 0)
}

/** A host name, an address, or a range of addresses such as `10.0.0.0/8`. */
function isSource(text: string): boolean {
  const [base = '', prefix, ...rest] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(base)] ?? 0
  if (prefix === undefined) return bits > 0 || /^(?!-)[a-z0-9_.-]+$/i.test(base)
  return bits > 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
}

const hostList = z
  .string()
  .default('')
  .transform((list) => (list.trim() === '' ? [] : list.split(',').map((one) => one.trim().toLowerCase())))
  .refine((hosts) => hosts.every(isSource), 'Enter host names, addresses or ranges, separated by commas')

/** The console must not be taken for a shared port; and a shared port has to know where the console is. */
const isBelow = (publicUrl: URL | null, domain: string): boolean =>
  publicUrl === null || `.${publicUrl.hostname}`.endsWith(`.${domain}`)

const isHostName = (name: string) => /^(?!-)[a-z0-9_.-]+$/i.test(name)

function isAddressList(entries: readonly string[]): boolean {
  try {
    makeAddressList(entries)
    return true
  } catch {
    return false
  }
}

/** `off`, `auto`, or a range; each project takes 1,024 addresses of it. */
const Networks = z.string().transform((text, ctx): 'off' | 'auto' | Range => {
  const word = text.trim()
  if (word === 'off' || word === 'auto') return word
  const range = parseRange(word)
  const wrong =
    range === null
      ? 'Enter off, auto, or a range of IPv4 addresses such as 10.80.0.0/14'
      : range.prefix < 8 || range.prefix > 20
        ? 'Enter a range with a prefix from /8 to /20; each project takes 1,024 addresses'
        : isPrivate(range)
          ? null
          : 'Enter a range of private addresses, such as one in 10.0.0.0/8'
  if (range !== null && wrong === null) return range
  ctx.addIssue({ code: 'custom', message: wrong ?? '' })
  return z.NEVER
})

/** `open`, `invitation`, `oidc`, `closed`, or `domains:` with the domains of email addresses, with commas. */
const SignUpSetting = z.string().transform((text, ctx): SignUpRule => {
  const setting = text.trim().toLowerCase()
  if (setting === 'open' || setting === 'invitation' || setting === 'oidc' || setting === 'closed')
    return { policy: setting, domains: [] }
  const [word, list = '', ...rest] = setting.split(':')
  const domains = list.split(',').map((one) => one.trim())
  if (word === 'domains' && rest.length === 0 && domains.every((domain) => isEmail(`a@${domain}`)))
    return { policy: 'domains', domains }
  ctx.addIssue({
    code: 'custom',
    message: 'Enter open, invitation, closed, oidc, or domains such as domains:example.com,example.org',
  })
  return z.NEVER
})

/** What a machine may be called on its network, and where it was told to listen. */
function namesOfMachine(listen: string): string[] {
  const name = hostname().toLowerCase()
  const [short = name] = name.split('.')
  return [name, short, `${short}.local`, listen.toLowerCase()]
}

/** Ports of the host such as `8100-8199`, or a single one. */
const portRange = z
  .string()
  .regex(/^\d{1,5}(-\d{1,5})?$/, 'Enter a range of ports such as 8100-8199, or off')
  .transform((text) => {
    const [first = 0, last = first] = text.split('-').map(Number)
    return { first, last }
  })
  .refine(
    ({ first, last }) => first >= 1 && last <= 65_535 && first <= last,
    'Enter ports from 1 to 65535, the lower one first',
  )
const portsOrOff = z.union([z.literal('off').transform(() => null), portRange])

const seconds = (usual: number, least: number) => z.coerce.number().min(least).max(86_400).default(usual)

const Settings = z.object({
  SLIPWAY_HOST: text.default('127.0.0.1'),
  SLIPWAY_PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  SLIPWAY_DATA_DIR: text.default('data'),
  /** A PostgreSQL database; without it everything is stored in a file of the data directory. */
  SLIPWAY_DATABASE_URL: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z
      .url({
        protocol: /^postgres(ql)?$/,
        error: 'Enter a URL such as postgres://user:password@host/database',
      })
      .optional(),
  ),
  /** Where people reach the console; mailed links point there and `https:` makes cookies secure. */
  SLIPWAY_PUBLIC_URL: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  /** More host names the console is reached by, with commas, beside that of the public URL. */
  SLIPWAY_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform((list) => (list.trim() === '' ? [] : list.split(',').map((one) => one.trim().toLowerCase())))
    .refine((names) => names.every(isHostName), 'Enter host names without a port, separated by commas'),
  /** Addresses of reverse proxies in front, with commas; only they are believed about who asks. */
  SLIPWAY_TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list) => (list.trim() === '' ? [] : list.split(',').map((one) => one.trim())))
    .refine(isAddressList, 'Enter IP addresses or ranges, separated by commas'),
  /** Where SSH by name listens: a port, 0 for any free one, or `off`. Not 2222, which guests may have. */
  SLIPWAY_SSH_PORT: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z
      .union([z.literal('off'), z.coerce.number().int().min(0).max(65_535)], 'Enter a port number, or off')
      .default(2022),
  ),
  /** The address it listens at; that of the console unless another is given. */
  SLIPWAY_SSH_LISTEN: optional,
  /** The name people give to ssh; that of the public URL, else what is in the address bar of the browser. */
  SLIPWAY_SSH_HOST: optional,
  /** Below which each shared port has a name; without it each has a port of its own. */
  SLIPWAY_SHARE_DOMAIN: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z
      .string()
      .trim()
      .toLowerCase()
      .regex(
        /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/,
        'Enter a domain such as apps.example.com, without a scheme or a wildcard',
      )
      .optional(),
  ),
  /** Where shared ports are without a domain: ports beside that of the console. */
  SLIPWAY_SHARE_PORTS: z.preprocess(
    (value) => (value === '' ? undefined : value),
    portsOrOff.default({ first: 8100, last: 8199 }),
  ),
  /** Where TCP ports of VMs may be published: none unless the operator sets some aside. */
  SLIPWAY_TCP_PORTS: z.preprocess((value) => (value === '' ? undefined : value), portsOrOff.default(null)),
  SLIPWAY_ENGINE: z.enum(['qemu', 'simulated', 'kubevirt']).default('qemu'),
  /** What runs guest code: `auto` takes KVM where it works, `kvm` insists on it, `tcg` is translation in software. */
  SLIPWAY_ACCELERATOR: z.enum(['auto', 'kvm', 'tcg']).default('auto'),
  /** Whether the first start of a VM goes on from a frozen guest of its kind where it can. */
  SLIPWAY_WARM: z.enum(['on', 'off']).default('on'),
  /** How many guests are kept ready for VMs at most; `0`: none. See docs/warm-start.md. */
  SLIPWAY_RESERVE: z.coerce.number().int().min(0).max(50).default(2),
  /** Networks of projects: where they take their addresses from, such as `10.80.0.0/14`; `auto` takes a range that is free. */
  SLIPWAY_NETWORK: z.preprocess((value) => (value === '' ? undefined : value), Networks.default('auto')),
  /** Tracked connections that one VM may have begun, and new ones in a second; derived from what the host tracks unless set. */
  SLIPWAY_GUEST_CONNECTIONS: limitOf(z.int().min(16).max(1_000_000)),
  SLIPWAY_GUEST_NEW_CONNECTIONS: limitOf(z.int().min(1).max(100_000)),
  /** How many times faster than life the simulated engine runs. */
  SLIPWAY_SIMULATED_SPEED: z.coerce.number().positive().default(1),
  /** What the simulated engine is to be unable to do, with commas, as other engines are. */
  SLIPWAY_SIMULATED_CANNOT: z
    .string()
    .default('')
    .transform((list) => (list.trim() === '' ? [] : list.split(',').map((one) => one.trim())))
    .pipe(z.array(z.enum(limitNames, `Use the names ${limitNames.join(', ')}, separated by commas`))),
  /** Where it says that the addresses of its guests answer. */
  SLIPWAY_SIMULATED_ADDRESSES: z.enum(addressPlaces).default('this-host'),
  /** A web server on this host that stands for port 3000 of its guests, in place of their own. */
  SLIPWAY_SIMULATED_WEB: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z
      .string()
      .regex(/^[\d.]+:\d{1,5}$/, 'Enter an address and a port such as 127.0.0.1:5173')
      .transform((text) => {
        const [ip = '', port] = text.split(':')
        return { ip, port: Number(port) }
      })
      .optional(),
  ),
  /** Where `npm run simulated-host` serves a simulated engine to several servers; without it each has its own. */
  SLIPWAY_SIMULATED_SOCKET: optional,
  /** The file that says which cluster and who we are there; without it the one we run in, else ~/.kube/config. */
  SLIPWAY_KUBECONFIG: optional,
  /** Namespaces of projects are called `<prefix>-<project id>`. */
  SLIPWAY_KUBE_PREFIX: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z
      .string()
      .regex(/^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/, 'Enter up to 20 lower-case letters, digits and hyphens')
      .default('slipway'),
  ),
  /** Where disks are kept; the default of the cluster unless it is set. */
  SLIPWAY_KUBE_STORAGE_CLASS: optional,
  /** How their snapshots are made; the class of the same driver unless it is set. */
  SLIPWAY_KUBE_SNAPSHOT_CLASS: optional,
  /** What each project may take of the cluster at most: names and amounts of a ResourceQuota, with commas. */
  SLIPWAY_KUBE_QUOTA: z
    .string()
    .default('')
    .transform((list) => (list.trim() === '' ? [] : list.split(',').map((one) => one.trim())))
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^[A-Za-z0-9./-]+=\d+(\.\d+)?(m|[kMGTPE]i?|Ki)?$/,
            'Use amounts such as requests.memory=64Gi, separated by commas',
          ),
      ),
    )
    .transform((all) => Object.fromEntries(all.map((one) => one.split('=')))),
  /** Where boot images are uploaded to, when it is not where CDI says. */
  SLIPWAY_KUBE_UPLOAD_URL: optional,
  /** A Prometheus that has the figures of KubeVirt; without it the metrics API of the cluster is asked. */
  SLIPWAY_PROMETHEUS_URL: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  /** The recorder of consoles that stands beside the servers; without it the server records itself. */
  SLIPWAY_RECORDER_URL: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  /** What servers show to the recorder. */
  SLIPWAY_RECORDER_TOKEN: z.preprocess(
    (value) => (value === '' ? undefined : value),
    text.min(16).optional(),
  ),
  /** Where the recorder listens. */
  SLIPWAY_RECORDER_HOST: text.default('0.0.0.0'),
  SLIPWAY_RECORDER_PORT: z.coerce.number().int().min(0).max(65_535).default(7070),
  /** Kubernetes sets them in every pod. */
  KUBERNETES_SERVICE_HOST: optional,
  KUBERNETES_SERVICE_PORT: optional,
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
  /** What all projects of an account may take together; no limit unless it is set. */
  SLIPWAY_QUOTA_VMS: quotaCount,
  SLIPWAY_QUOTA_PROCESSORS: quotaCount,
  SLIPWAY_QUOTA_MEMORY_GB: quotaGb,
  SLIPWAY_QUOTA_DISK_GB: quotaGb,
  SLIPWAY_QUOTA_SNAPSHOT_GB: quotaGb,
  SLIPWAY_QUOTA_SHARES: quotaCount,
  /** What is kept in the bin; as much as disks and snapshots may take, unless it is set. */
  SLIPWAY_QUOTA_BIN_GB: quotaBinGb,
  /** The same for each project by itself. */
  SLIPWAY_QUOTA_PROJECT_PROCESSORS: quotaCount,
  SLIPWAY_QUOTA_PROJECT_MEMORY_GB: quotaGb,
  SLIPWAY_QUOTA_PROJECT_DISK_GB: quotaGb,
  SLIPWAY_QUOTA_PROJECT_SNAPSHOT_GB: quotaGb,
  SLIPWAY_QUOTA_PROJECT_SHARES: quotaCount,
  /** Hosts, addresses and ranges that images may be fetched from although they are private, with commas. */
  SLIPWAY_PRIVATE_SOURCES: hostList,
  /** The same for webhooks: hosts that requests may be sent to although they are private, and by plain http. */
  SLIPWAY_PRIVATE_WEBHOOKS: hostList,
  /** What one account may do at once through a server; what is more waits a moment, then it is refused. */
  SLIPWAY_CALLS_PER_ACCOUNT: z.coerce.number().int().min(2).max(100).default(6),
  SLIPWAY_UPLOADS_PER_ACCOUNT: z.coerce.number().int().min(1).max(64).default(4),
  SLIPWAY_DOWNLOADS_PER_ACCOUNT: z.coerce.number().int().min(1).max(24).default(3),
  /** What an image may take while it is fetched and unpacked, in GiB. */
  SLIPWAY_MAX_IMAGE_GB: z.coerce.number().positive().default(100),
  /** How long an upload waits for its next byte before it is removed, in hours. */
  SLIPWAY_UPLOAD_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(24 * 30)
    .default(uploadHoursDefault),
  /** How large a disk may be, in GiB; never more than the contract's limit. */
  SLIPWAY_MAX_DISK_GB: z.coerce.number().int().min(1).max(diskSizeLimitGi).default(diskSizeLimitGi),
  /** What boot images may take together before those are removed that nothing uses, in GiB. */
  SLIPWAY_IMAGES_GB: z.coerce.number().positive().default(40),
  /** Least size of root disks, in GiB; they take only what is written to them. */
  SLIPWAY_ROOT_DISK_GB: z.coerce.number().int().min(4).max(diskSizeLimitGi).default(20),
  /** Where the packages of boot images come from: a mirror of Debian. */
  SLIPWAY_DEBIAN_MIRROR: z.url({ protocol: /^https?$/ }).default('http://deb.debian.org/debian'),
  /**
   * E-mail addresses of administrators, with commas. They may add templates, which everybody may while none is named,
   * and see the health, the activity and the operations of the whole server, which nobody may then.
   */
  SLIPWAY_ADMINS: z
    .string()
    .default('')
    .transform((list) => (list.trim() === '' ? [] : list.split(',').map((one) => one.trim().toLowerCase())))
    .refine((addresses) => addresses.every(isEmail), 'Enter email addresses, separated by commas'),
  /** Who may create an account. */
  SLIPWAY_SIGN_UP: z.preprocess(
    (value) => (value === '' ? undefined : value),
    SignUpSetting.default(openSignUp),
  ),
  /** How long entries of the activity log are kept. */
  SLIPWAY_ACTIVITY_DAYS: z.coerce.number().int().min(1).max(36_500).default(365),
  /** For how many days what people delete is kept in the bin; 0: it is deleted for good at once. */
  SLIPWAY_BIN_DAYS: z.coerce.number().int().min(0).max(365).default(binDaysDefault),
  /** When pools scale: percent of the processors of their running VMs, and seconds. */
  SLIPWAY_SCALE_SAMPLE_EVERY_S: seconds(scalingDefaults.sample_every_s, 1),
  SLIPWAY_SCALE_UP_ABOVE: z.coerce.number().min(1).max(99).default(scalingDefaults.up_above),
  SLIPWAY_SCALE_UP_AFTER_S: seconds(scalingDefaults.up_after_s, 1),
  SLIPWAY_SCALE_DOWN_BELOW: z.coerce.number().min(0).max(98).default(scalingDefaults.down_below),
  SLIPWAY_SCALE_DOWN_AFTER_S: seconds(scalingDefaults.down_after_s, 1),
  SLIPWAY_SCALE_PAUSE_S: seconds(scalingDefaults.pause_s, 0),
  /** The bearer token that `/metrics` wants; one is made and kept in the data directory when none is set. */
  SLIPWAY_METRICS_TOKEN: z.preprocess((value) => (value === '' ? undefined : value), text.min(16).optional()),
  /**
   * What the secrets of authenticator apps are encrypted with; one is made and kept in the data directory when none is set.
   * The same at all servers.
   */
  SLIPWAY_FACTOR_KEY: z.preprocess((value) => (value === '' ? undefined : value), text.min(32).optional()),
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
  if (s.SLIPWAY_SCALE_DOWN_BELOW >= s.SLIPWAY_SCALE_UP_ABOVE) {
    throw new Error(
      'These settings are not valid:\n  SLIPWAY_SCALE_DOWN_BELOW: must be below SLIPWAY_SCALE_UP_ABOVE',
    )
  }
  if (s.SLIPWAY_SIMULATED_SOCKET !== undefined && s.SLIPWAY_ENGINE !== 'simulated') {
    throw new Error(
      'These settings are not valid:\n  SLIPWAY_SIMULATED_SOCKET: requires SLIPWAY_ENGINE=simulated',
    )
  }
  if (s.SLIPWAY_RECORDER_URL !== undefined && s.SLIPWAY_RECORDER_TOKEN === undefined) {
    throw new Error(
      'These settings are not valid:\n  SLIPWAY_RECORDER_TOKEN: required with SLIPWAY_RECORDER_URL',
    )
  }
  const [http, tcp] = [s.SLIPWAY_SHARE_PORTS, s.SLIPWAY_TCP_PORTS]
  if (http && tcp && http.first <= tcp.last && tcp.first <= http.last) {
    throw new Error(
      'These settings are not valid:\n  SLIPWAY_TCP_PORTS: must not overlap with SLIPWAY_SHARE_PORTS',
    )
  }
  const publicUrl = s.SLIPWAY_PUBLIC_URL ? new URL(s.SLIPWAY_PUBLIC_URL) : null
  const oidcProblems: string[] = []
  const oidc = readOidc(environment, oidcProblems)
  if (oidc.length > 0 && publicUrl === null)
    oidcProblems.push(
      'SLIPWAY_PUBLIC_URL: required with SLIPWAY_OIDC, because providers lead people back there',
    )
  if (oidc.length === 0 && s.SLIPWAY_SIGN_UP.policy === 'oidc' && oidcProblems.length === 0)
    oidcProblems.push('SLIPWAY_SIGN_UP: oidc requires a provider in SLIPWAY_OIDC')
  if (oidcProblems.length > 0)
    throw new Error(`These settings are not valid:\n${oidcProblems.map((line) => `  ${line}`).join('\n')}`)
  if (s.SLIPWAY_SHARE_DOMAIN !== undefined && isBelow(publicUrl, s.SLIPWAY_SHARE_DOMAIN)) {
    throw new Error(
      'These settings are not valid:\n  SLIPWAY_SHARE_DOMAIN: requires SLIPWAY_PUBLIC_URL, whose host must not be in that domain',
    )
  }
  const quota: Record<QuotaScope, QuotaLimits> = {
    account: {
      vms: s.SLIPWAY_QUOTA_VMS,
      processors: s.SLIPWAY_QUOTA_PROCESSORS,
      memory_mb: gbTo(1024, s.SLIPWAY_QUOTA_MEMORY_GB),
      disk_bytes: gbTo(gibibyte, s.SLIPWAY_QUOTA_DISK_GB),
      snapshot_bytes: gbTo(gibibyte, s.SLIPWAY_QUOTA_SNAPSHOT_GB),
      shares: s.SLIPWAY_QUOTA_SHARES,
      bin_bytes: gbTo(gibibyte, binGbOf(s)),
    },
    project: {
      vms: s.SLIPWAY_MAX_VMS_PER_PROJECT,
      processors: s.SLIPWAY_QUOTA_PROJECT_PROCESSORS,
      memory_mb: gbTo(1024, s.SLIPWAY_QUOTA_PROJECT_MEMORY_GB),
      disk_bytes: gbTo(gibibyte, s.SLIPWAY_QUOTA_PROJECT_DISK_GB),
      snapshot_bytes: gbTo(gibibyte, s.SLIPWAY_QUOTA_PROJECT_SNAPSHOT_GB),
      shares: s.SLIPWAY_QUOTA_PROJECT_SHARES,
      bin_bytes: null,
    },
  }
  const dataDir = path.resolve(s.SLIPWAY_DATA_DIR)
  const backupProblems: string[] = []
  const backup = readBackupSettings(environment, dataDir, backupProblems)
  if (backupProblems.length > 0)
    throw new Error(`These settings are not valid:\n${backupProblems.map((line) => `  ${line}`).join('\n')}`)
  const sqlite = { file: path.join(dataDir, 'slipway.sqlite') }
  return {
    host: s.SLIPWAY_HOST,
    port: s.SLIPWAY_PORT,
    dataDir,
    /** Where backups outside the host are kept; null for nowhere. */
    backup,
    database: s.SLIPWAY_DATABASE_URL ? { url: s.SLIPWAY_DATABASE_URL } : sqlite,
    /** Where everything is stored without a URL. */
    sqlite,
    publicUrl,
    ssh:
      s.SLIPWAY_SSH_PORT === 'off'
        ? null
        : {
            port: s.SLIPWAY_SSH_PORT,
            listen: s.SLIPWAY_SSH_LISTEN ?? s.SLIPWAY_HOST,
            // Whoever gives it a name of its own leads people there.
            localOnly: s.SLIPWAY_SSH_HOST === undefined && isLoopback(s.SLIPWAY_SSH_LISTEN ?? s.SLIPWAY_HOST),
            host: s.SLIPWAY_SSH_HOST ?? publicUrl?.hostname.replace(/^\[|\]$/g, '') ?? null,
          },
    // Without a public URL people find the server by the name of its machine.
    allowedHosts: publicUrl
      ? s.SLIPWAY_ALLOWED_HOSTS
      : [...s.SLIPWAY_ALLOWED_HOSTS, ...namesOfMachine(s.SLIPWAY_HOST)],
    trustedProxies: s.SLIPWAY_TRUSTED_PROXIES,
    share: { domain: s.SLIPWAY_SHARE_DOMAIN ?? null, httpPorts: http, tcpPorts: tcp },
    /** What is allowed and not advisable, in sentences for the operator. */
    warnings: [riskOfShareDomain(publicUrl, s.SLIPWAY_SHARE_DOMAIN)].filter((risk) => risk !== null),
    engine: s.SLIPWAY_ENGINE,
    accelerator: s.SLIPWAY_ACCELERATOR,
    network: s.SLIPWAY_NETWORK,
    guestLimits: {
      connections: s.SLIPWAY_GUEST_CONNECTIONS,
      newPerSecond: s.SLIPWAY_GUEST_NEW_CONNECTIONS,
    },
    warm: s.SLIPWAY_WARM === 'on',
    reserve: s.SLIPWAY_RESERVE,
    simulatedSpeed: s.SLIPWAY_SIMULATED_SPEED,
    simulatedCannot: s.SLIPWAY_SIMULATED_CANNOT,
    simulatedAddresses: s.SLIPWAY_SIMULATED_ADDRESSES,
    simulatedWeb: s.SLIPWAY_SIMULATED_WEB ?? null,
    simulatedSocket:
      s.SLIPWAY_SIMULATED_SOCKET === undefined ? null : path.resolve(s.SLIPWAY_SIMULATED_SOCKET),
    kube: {
      kubeconfig: s.SLIPWAY_KUBECONFIG ?? null,
      host: s.KUBERNETES_SERVICE_HOST ?? null,
      port: s.KUBERNETES_SERVICE_PORT ?? null,
      prefix: s.SLIPWAY_KUBE_PREFIX,
      storageClass: s.SLIPWAY_KUBE_STORAGE_CLASS ?? null,
      snapshotClass: s.SLIPWAY_KUBE_SNAPSHOT_CLASS ?? null,
      quota: s.SLIPWAY_KUBE_QUOTA,
      uploadUrl: s.SLIPWAY_KUBE_UPLOAD_URL ?? null,
      prometheusUrl: s.SLIPWAY_PROMETHEUS_URL ?? null,
    },
    recorder: {
      url: s.SLIPWAY_RECORDER_URL ?? null,
      token: s.SLIPWAY_RECORDER_TOKEN ?? null,
      host: s.SLIPWAY_RECORDER_HOST,
      port: s.SLIPWAY_RECORDER_PORT,
    },
    smtpUrl: s.SLIPWAY_SMTP_URL ?? null,
    mailFrom: s.SLIPWAY_MAIL_FROM,
    productName: s.SLIPWAY_PRODUCT_NAME,
    contacts: {
      support: s.SLIPWAY_SUPPORT_EMAIL,
      legal: s.SLIPWAY_LEGAL_EMAIL,
      privacy: s.SLIPWAY_PRIVACY_EMAIL,
    },
    perAccount: {
      calls: s.SLIPWAY_CALLS_PER_ACCOUNT,
      uploads: s.SLIPWAY_UPLOADS_PER_ACCOUNT,
      downloads: s.SLIPWAY_DOWNLOADS_PER_ACCOUNT,
    },
    quota,
    privateSources: s.SLIPWAY_PRIVATE_SOURCES,
    privateWebhooks: s.SLIPWAY_PRIVATE_WEBHOOKS,
    maxImageGb: s.SLIPWAY_MAX_IMAGE_GB,
    maxDiskGb: s.SLIPWAY_MAX_DISK_GB,
    uploadHours: s.SLIPWAY_UPLOAD_HOURS,
    imagesGb: s.SLIPWAY_IMAGES_GB,
    rootDiskGb: s.SLIPWAY_ROOT_DISK_GB,
    debianMirror: s.SLIPWAY_DEBIAN_MIRROR,
    admins: s.SLIPWAY_ADMINS,
    signUp: s.SLIPWAY_SIGN_UP,
    /** Who people can sign in with, in the order of the settings. */
    oidc,
    activityDays: s.SLIPWAY_ACTIVITY_DAYS,
    binDays: s.SLIPWAY_BIN_DAYS,
    scaling: {
      sample_every_s: s.SLIPWAY_SCALE_SAMPLE_EVERY_S,
      up_above: s.SLIPWAY_SCALE_UP_ABOVE,
      up_after_s: s.SLIPWAY_SCALE_UP_AFTER_S,
      down_below: s.SLIPWAY_SCALE_DOWN_BELOW,
      down_after_s: s.SLIPWAY_SCALE_DOWN_AFTER_S,
      pause_s: s.SLIPWAY_SCALE_PAUSE_S,
    } satisfies ScalingPolicy,
    metricsToken: s.SLIPWAY_METRICS_TOKEN ?? null,
    factorKey: s.SLIPWAY_FACTOR_KEY ?? null,
    logLevel: s.SLIPWAY_LOG_LEVEL,
    seed: s.SLIPWAY_SEED !== undefined,
  }
}
