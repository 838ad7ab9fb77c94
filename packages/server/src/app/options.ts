import type { FastifyBaseLogger } from 'fastify'
import type { PasswordCost } from '../account/password.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'
import type { Engine } from '../engine/engine.ts'
import type { Gateway } from '../gateway/gateway.thread.ts'
import type { BackupState } from '../health/health.service.ts'
import type { Ballast } from '../lib/ballast.ts'
import type { Clock } from '../lib/clock.ts'
import type { Lease } from '../lib/lease.ts'
import type { Peers } from '../lib/peers.ts'
import type { SendMail } from '../mail/mail.ts'
import type { BuiltInTemplate } from '../template/template.service.ts'

/** What the server is built over. */
export interface AppOptions {
  config: Pick<
    Config,
    | 'dataDir'
    | 'publicUrl'
    | 'allowedHosts'
    | 'trustedProxies'
    | 'productName'
    | 'contacts'
    | 'quota'
    | 'perAccount'
    | 'maxDiskGb'
    | 'maxImageGb'
    | 'uploadHours'
    | 'admins'
    | 'signUp'
    | 'oidc'
    | 'activityDays'
    | 'binDays'
    | 'scaling'
    | 'host'
    | 'share'
    | 'privateWebhooks'
  >
  db: Db
  engine: Engine
  /** The templates that come with Slipway. */
  templates: readonly BuiltInTemplate[]
  sendMail: SendMail
  clock: Clock
  log: FastifyBaseLogger
  /** Folder of the built front end; null serves the API only. */
  webRoot: string | null
  /** Where the server is reached when no public address is set. */
  ownUrl: () => string
  /** The other servers of the installation. */
  peers: Peers
  /** Which of them drives. */
  lease: Pick<Lease, 'number' | 'holder'>
  /** How backups outside the host are doing; without it there are none. */
  backups?: (() => Promise<BackupState>) | null
  /** The ballast for a full disk; without it there is none. `isShort`: of the disk that the database is on. */
  ballast?: Pick<Ballast, 'isShort' | 'state'> | null
  /** How many guests may be on their way up at once. */
  startsAtOnce: number
  /** Who carries it may read `/metrics`. */
  metricsToken: string
  /** Encrypts the secrets of authenticator apps; the same at all servers of the installation. */
  factorKey: string
  passwordCost: PasswordCost
  /** SSH by name, listening; null when it is switched off. Whoever started it closes it. */
  gateway: Gateway | null
}
