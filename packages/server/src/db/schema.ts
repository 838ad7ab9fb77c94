import type { Kysely, Transaction } from 'kysely'

export type Db = Kysely<Schema>

/** A transaction: what is read in it stays as it is until it ends, see postgres-driver.ts. */
export type Tx = Transaction<Schema>

/** The tables. Times are ISO 8601 text, flags 0 or 1, lists JSON text: the same in SQLite and PostgreSQL. */
export interface Schema {
  account: AccountTable
  account_deletion: AccountDeletionTable
  session: SessionTable
  mail_token: MailTokenTable
  pending_sign_in: PendingSignInTable
  totp: TotpTable
  recovery_code: RecoveryCodeTable
  passkey: PasskeyTable
  passkey_challenge: PasskeyChallengeTable
  api_token: ApiTokenTable
  identity: IdentityTable
  oidc_visit: OidcVisitTable
  oidc_session: OidcSessionTable
  oidc_logout: OidcLogoutTable
  project: ProjectTable
  project_member: ProjectMemberTable
  bin_member: BinMemberTable
  project_invitation: ProjectInvitationTable
  hand_over: HandOverTable
  ssh_key: SshKeyTable
  template: TemplateTable
  template_bin: TemplateBinTable
  template_start_script: TemplateStartScriptTable
  vm: VmTable
  vm_start_script: VmStartScriptTable
  disk: DiskTable
  upload: UploadTable
  vm_snapshot: VmSnapshotTable
  disk_snapshot: DiskSnapshotTable
  snapshot_schedule: SnapshotScheduleTable
  vm_group: VmGroupTable
  vm_group_event: VmGroupEventTable
  vm_group_start_script: VmGroupStartScriptTable
  batch: BatchTable
  bin: BinTable
  batch_item: BatchItemTable
  quota: QuotaTable
  share: ShareTable
  share_code: ShareCodeTable
  usage_sample: UsageSampleTable
  activity: ActivityTable
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
  mail_queue: MailQueueTable
  idempotency_key: IdempotencyKeyTable
  seen_time: SeenTimeTable
  notice: NoticeTable
  lease: LeaseTable
  revision: RevisionTable
  shared_file: SharedFileTable
}

type Flag = 0 | 1

export interface AccountTable {
  id: string
  name: string
  /** Lower case; unique. */
  email: string
  /** PHC string; empty for an account that has no password and is signed in to by a provider. */
  password_hash: string
  email_verified_at: string | null
  disabled_at: string | null
  created_at: string
}

/** Accounts that their owners delete, until they are gone or kept. */
export interface AccountDeletionTable {
  account_id: string
  requested_at: string
  /** From when on all of it is deleted. */
  delete_at: string
}

/** Small files that are the same in the data directories of all servers, keys among them. */
export interface SharedFileTable {
  name: string
  content: string
}

export interface SessionTable {
  /** SHA-256 of the cookie, in hex. */
  token_hash: string
  account_id: string
  remember: Flag
  created_at: string
  last_used_at: string
  expires_at: string
  /** When its user last confirmed who they are; null for sessions of an earlier version. */
  proven_at: string | null
  /** As the browser named itself when it signed in, cut to a length. */
  user_agent: string | null
  /** From where it signed in. */
  ip: string | null
}

export interface MailTokenTable {
  token_hash: string
  account_id: string
  purpose: 'verify' | 'reset' | 'change'
  /** The new address, when it is about one. */
  email: string | null
  created_at: string
  expires_at: string
  used_at: string | null
  superseded_at: string | null
}

/** A password that was right and waits for a code. */
export interface PendingSignInTable {
  /** SHA-256 of the token, in hex. */
  token_hash: string
  account_id: string
  remember: Flag
  /** SHA-256 of the hash of the password that was right, in hex: with another password it ends. */
  password_mark: string
  /** How many codes were tried. */
  tries: number
  expires_at: string
}

/** The secret of an authenticator app. */
export interface TotpTable {
  account_id: string
  /** Encrypted, see sealed-secret.ts. */
  secret: string
  created_at: string
  /** Since when it counts; null until a code confirms it. */
  confirmed_at: string | null
  /** The step of the newest code that was accepted: none counts twice. */
  last_step: number
}

export interface RecoveryCodeTable {
  account_id: string
  /** SHA-256 of the code without hyphens, in hex. */
  code_hash: string
  used_at: string | null
}

export interface PasskeyTable {
  id: string
  account_id: string
  name: string
  /** As the authenticator names it, in base64url; unique. */
  credential_id: string
  /** COSE, in base64url. */
  public_key: string
  /** How often the authenticator used it; stays 0 for passkeys that several devices share. */
  counter: number
  /** JSON list of the ways to reach the authenticator, as browsers name them. */
  transports: string
  created_at: string
  last_used_at: string | null
}

/** What a browser was asked to sign, until it answers. */
export interface PasskeyChallengeTable {
  challenge: string
  purpose: 'make' | 'sign-in' | 'proof'
  /** The session that asked; null when nobody is signed in. */
  session_id: string | null
  expires_at: string
}

export interface ApiTokenTable {
  id: string
  account_id: string
  name: string
  /** SHA-256 of the token, in hex; unique. */
  token_hash: string
  access: 'read' | 'write'
  /** The projects it was created for; null: all. Those that were deleted stay in it: their ids never come again. */
  project_ids: string | null
  created_at: string
  expires_at: string
  last_used_at: string | null
}

/** Somebody at a provider, by the provider's own word for them: addresses change, and are given to others. */
export interface IdentityTable {
  id: string
  account_id: string
  /** Unique with the subject, and with the account. */
  issuer: string
  subject: string
  /** The address at the provider when it was used last. */
  email: string | null
  linked_at: string
  last_used_at: string
}

/** Somebody is on the way to a provider and back. Taken once. */
export interface OidcVisitTable {
  /** SHA-256 of what the provider sends back, in hex. */
  state_hash: string
  /** SHA-256 of the cookie of the browser that has to come back, in hex. */
  browser_hash: string
  provider: string
  /** What proves to the provider that whoever takes the code is who asked for it (PKCE). */
  code_verifier: string
  nonce: string
  remember: Flag
  /** The page of the console to go on to. */
  from_path: string | null
  /** The account that gets another identity; null: somebody signs in. */
  account_id: string | null
  expires_at: string
}

/** What of a session came from a provider; it goes with the session. */
export interface OidcSessionTable {
  token_hash: string
  issuer: string
  subject: string
  /** The session at the provider, if it names one. */
  sid: string | null
  /** The group by which the person was an administrator when they signed in. */
  admin_group: string | null
}

/** Logout tokens that were taken, for as long as another server could be sent the same again. */
export interface OidcLogoutTable {
  issuer: string
  jti: string
  sid: string | null
  received_at: string
}

export interface ProjectTable {
  id: string
  /** Of its owner, who is a member too. */
  account_id: string
  name: string
  description: string
  created_at: string
  /** Whether its VMs reach the Internet. */
  internet: Flag
}

/** Who is in a project; exactly one is its owner. */
export interface ProjectMemberTable {
  project_id: string
  account_id: string
  role: 'viewer' | 'operator' | 'owner'
  since: string
}

/** Who is in a project that is in the bin, until it is restored: nobody is a member of it meanwhile. */
export type BinMemberTable = ProjectMemberTable

export interface ProjectInvitationTable {
  id: string
  project_id: string
  /** Lower case; one invitation for each address in a project. */
  email: string
  role: 'viewer' | 'operator'
  /** SHA-256 of the token in the mailed link, in hex. */
  token_hash: string
  /** Account of who sent it. */
  invited_by: string
  created_at: string
  expires_at: string
  /** Kept until its end, so that a second click says the same. */
  accepted_at: string | null
}

/** A project that waits for a member to become its owner: one for each project. */
export interface HandOverTable {
  project_id: string
  /** The owner who asks; of another owner it is over. */
  from_id: string
  /** The member who is asked; it goes with the membership. */
  to_id: string
  created_at: string
  expires_at: string
}

export interface SshKeyTable {
  id: string
  account_id: string
  name: string
  public_key: string
  fingerprint: string
  is_default: Flag
  created_at: string
  /** When somebody signed in with the key and the code of the account. */
  proven_at: string | null
  /** What proves the key until it expires; one at a time. */
  proof_code: string | null
  proof_expires_at: string | null
}

export interface TemplateTable {
  id: string
  name: string
  description: string
  image_url: string | null
  /** What boots; a name the image store knows. */
  image_id: string
  default_cpu: number
  default_memory_mb: number
  created_at: string
  /** Since when it is not offered any more; null: it is. */
  retired_at: string | null
}

/** A template that was deleted and can be restored: it is not in the table of templates meanwhile. */
export interface TemplateBinTable extends TemplateTable {
  deleted_at: string
  /** Null once that account is deleted. */
  deleted_by: string | null
  delete_at: string
}

/** Of templates, and of those in the bin: it refers to neither table, and goes when a template is deleted for good. */
export interface TemplateStartScriptTable {
  template_id: string
  script: string
}

export interface VmTable {
  id: string
  /** Null once the project is gone: then only the wish to delete remains. */
  project_id: string | null
  name: string
  template_id: string
  template_name: string
  image_id: string
  ssh_key_id: string
  ssh_key_name: string
  ssh_public_key: string
  cpu: number
  memory_mb: number
  /** JSON list of the public keys that it had before. */
  former_ssh_keys: string
  /** When its guest gets the key that it does not have yet. */
  ssh_key_due: 'soon' | 'next_start' | 'by_hand' | null
  /** What it gets the next time it boots; null: what it has. */
  next_cpu: number | null
  next_memory_mb: number | null
  /** When it gets what it is to have. */
  size_due: 'soon' | 'next_start' | null
  /** Of its root disk; null: as its image makes it. */
  root_bytes: number | null
  /** What its root disk is to have; null: what it has. */
  next_root_bytes: number | null
  persistent: Flag
  note: string
  /** JSON list. */
  tags: string
  delete_protection: Flag
  /** Minutes without use after which it is suspended; null: never. */
  suspend_after_min: number | null
  /** Since when a running VM that is to be suspended by itself was not used. */
  idle_since: string | null
  /** The VM snapshot it is made of; it may be gone once it is made. */
  copy_of: string | null
  /** The pool or set it is a member of. */
  group_id: string | null
  group_kind: 'pool' | 'set' | null
  /** From 1; unique among the members that are not deleted. */
  member_number: number | null
  /** Its group has become smaller: it shuts down and goes. */
  retiring: Flag
  /** How often in a row its group started it again after it broke. */
  heals: number
  /** Which settings of its group it was made of; null: the first. */
  group_revision: number | null
  created_at: string
  /** Compare-and-set: every change raises it. */
  version: number
  wanted_power: 'on' | 'off' | 'suspended'
  wanted_force: Flag
  wanted_restarts: number
  wanted_deleted: Flag
  /** What it is to be again once its project, or its pool or set, is restored from the bin; else null. */
  power_back: 'on' | 'off' | 'suspended' | null
  /** What of the bin it belongs to, which is kept whole until that is deleted for good; else null. */
  bin_id: string | null
  admitted: Flag
  provisioned: Flag
  restarts: number
  judged_run: string | null
  fault: 'failed' | 'error' | 'lost' | null
  /** Its guest lives for longer than a start may take, and SSH does not answer in it. */
  silent: Flag
  seen_power:
    | 'absent'
    | 'broken'
    | 'unreadable'
    | 'off'
    | 'suspended'
    | 'held-by-room'
    | 'held-by-parts'
    | 'booting'
    | 'ready'
  ip_address: string | null
  ssh_port: number
  status: string
  status_since: string
  status_message: string | null
  steps: string
  /** The snapshot it is being put back to; null when it is not. */
  restore_from: string | null
  /** The snapshot that what it replaces becomes. */
  restore_safety: string | null
  restore_prepared: Flag
}

export interface DiskTable {
  id: string
  /** Null once the project is gone: then only the wish to delete remains. */
  project_id: string | null
  vm_id: string | null
  name: string
  description: string
  status: string
  status_since: string
  status_message: string | null
  size_bytes: number
  /** What it is being made larger to. */
  next_size_bytes: number | null
  source: 'EMPTY' | 'HTTP' | 'SNAPSHOT' | 'REGISTRY' | 'UPLOAD'
  image_url: string | null
  image_sha256: string | null
  /** What it is made from, when that is a snapshot. */
  snapshot_id: string | null
  snapshot_kind: 'machine' | 'volume' | null
  /** Which disk of a VM snapshot it is a copy of; null for the root disk. */
  snapshot_disk_id: string | null
  /** Whether the engine has put it on its VM. */
  plugged: Flag
  /** Somebody asked to take it off its VM. */
  detaching: Flag
  /** The VM it was made for and goes with; null once it was taken off it. */
  owner_vm_id: string | null
  /** As for a VM. */
  bin_id: string | null
  created_at: string
}

/** A file that a disk is made from, in pieces; the bytes are in `uploads/` of the data directory. */
export interface UploadTable {
  disk_id: string
  file_name: string
  file_bytes: number
  /** Durable, and so what counts of the file. */
  received_bytes: number
  /** As the client named it, to find the same file again. */
  file_mark: string | null
  file_modified_at: string | null
  sha256: string | null
  last_received_at: string
}

export interface VmSnapshotTable {
  id: string
  project_id: string | null
  vm_id: string
  vm_name: string
  name: string
  description: string
  status: string
  status_since: string
  status_message: string | null
  snapshot_type: 'disk' | 'full'
  has_memory: Flag
  consistency: string | null
  /** JSON list of the data disks in it. */
  disks: string
  automatic: Flag
  stored_bytes: number | null
  retention_days: number
  expires_at: string
  metadata: string | null
  /** The schedule that took it, which may be gone, and for which of its rhythms; null for one that somebody took. */
  schedule_id: string | null
  scheduled: string | null
  /** As for a VM. */
  bin_id: string | null
  created_at: string
}

export interface DiskSnapshotTable {
  id: string
  project_id: string | null
  disk_id: string
  disk_name: string
  name: string
  description: string
  size_bytes: number
  stored_bytes: number | null
  status: string
  status_since: string
  status_message: string | null
  snapshot_type: 'full' | 'incremental'
  parent_id: string | null
  consistency: string | null
  retention_days: number
  expires_at: string
  /** As for a snapshot of a VM. */
  schedule_id: string | null
  scheduled: string | null
  /** As for a VM. */
  bin_id: string | null
  created_at: string
}

export interface SnapshotScheduleTable {
  id: string
  /** Of a VM or of a disk: one of the two. */
  vm_id: string | null
  disk_id: string | null
  /** JSON of the rhythms. */
  rhythms: string
  time_zone: string
  snapshot_type: string
  paused: Flag
  /** When it is due next: nothing before is. Null while it is paused. */
  next_at: string | null
  /** When `next_at` was worked out: a time to come means that the clock was put back. */
  counted_at: string
  /** When it is looked for surplus snapshots next; null when there are none. */
  thin_at: string | null
  /** Why surplus snapshots are kept. */
  not_deleted: string | null
  last_due_at: string | null
  last_snapshot_id: string | null
  /** Why none was taken then. */
  last_refusal: string | null
  missed_count: number
  missed_since: string | null
  missed_until: string | null
  missed_reason: string | null
}

export interface VmGroupTable {
  id: string
  project_id: string
  kind: 'pool' | 'set'
  name: string
  description: string
  template_id: string
  template_name: string
  image_id: string
  ssh_key_id: string
  ssh_key_name: string
  ssh_public_key: string
  cpu: number
  memory_mb: number
  /** Of the root disk of each member; null: as its image makes it. */
  root_bytes: number | null
  persistent: Flag
  /** JSON list of the disks every member gets. */
  disks: string
  min_size: number
  desired_size: number
  max_size: number
  auto_scaling: Flag
  /** `coming` is `scaling` for pools and `creating` for sets. */
  status: 'coming' | 'active' | 'error'
  status_since: string
  status_message: string | null
  /** Members in a row that could not be brought up. */
  failures: number
  /** When the last of them failed, and why. */
  failed_at: string | null
  failed_why: string | null
  /** Raised by each roll-out of other settings. */
  revision: number
  /** Whether members with older settings are being replaced; null: they stay as they are. */
  roll_out: 'running' | 'paused' | null
  /** Why it is paused. */
  roll_out_why: string | null
  /** When the desired size last changed. */
  sized_at: string | null
  created_at: string
  /** The VM snapshot that every member is made of. */
  copy_of: string | null
  /** Its own id while it is in the bin; else null. It goes with the row of the bin. */
  bin_id: string | null
}

export interface VmGroupEventTable {
  id: string
  group_id: string
  at: string
  kind: string
  message: string
  from_size: number
  to_size: number
}

/** A limit that an operator set for an account, in place of that of the settings. */
export interface QuotaTable {
  account_id: string
  resource: string
  /** Null: no limit. */
  amount: number | null
}

/** A port of a VM that can be opened from outside. */
export interface VmStartScriptTable {
  vm_id: string
  /** Null of members of a group: theirs is that of the group. */
  script: string | null
  /** The end as it was read last; `waiting` before. */
  state: 'waiting' | 'succeeded' | 'failed'
  message: string | null
  exit_code: number | null
  finished_at: string | null
  output: string
}

/** What members of a group run, from a revision of the group on. */
export interface VmGroupStartScriptTable {
  group_id: string
  revision: number
  /** Null: none any more. */
  script: string | null
}

export interface ShareTable {
  id: string
  project_id: string
  vm_id: string
  port: number
  kind: 'http' | 'tcp'
  audience: 'project' | 'link' | 'everybody'
  /** The port of the host it is at; null where it is found by its name only. */
  host_port: number | null
  /** What its name begins with, below the domain of shares. */
  label: string
  /** What a link holds; another one each time that the audience changes. */
  secret: string
  /** Who was let in has a cookie that is signed with it; another one each time that the audience changes. */
  cookie_key: string
  expires_at: string | null
  visits: number
  last_visit_at: string | null
  created_at: string
}

/** Leads somebody who is signed in from the console to a shared port, once. */
export interface ShareCodeTable {
  /** SHA-256, in hex. */
  code_hash: string
  share_id: string
  session_id: string
  expires_at: string
}

export interface ActivityTable {
  /** Sorts by age. */
  id: string
  at: string
  kind: string
  action: string
  actor_id: string | null
  /** Names are those of that moment. */
  actor_name: string | null
  object_type: string
  object_id: string
  object_name: string
  /** Whose log it stands in: a project's, an account's, both or none. */
  project_id: string | null
  account_id: string | null
  message: string
  reason: string | null
}

/** Where entries of a project's log are sent. */
export interface WebhookTable {
  id: string
  project_id: string
  url: string
  description: string
  /** JSON lists; null: all. */
  objects: string | null
  kinds: string | null
  actions: string | null
  paused: Flag
  /** Why it was paused by Slipway. */
  paused_reason: string | null
  /** Encrypted, see sealed-secret.ts; the old one signs as well until its time is over. */
  secret: string
  old_secret: string | null
  old_secret_until: string | null
  /** Null while deliveries succeed, as `last_failure` and `gave_up_at`. */
  failing_since: string | null
  last_failure: string | null
  /** When a delivery was first given up since one succeeded. */
  gave_up_at: string | null
  /** Nothing is sent before: the receiver did not respond. */
  held_until: string | null
  last_delivered_at: string | null
  created_at: string
}

/** An entry on its way to a webhook, or what came of it. */
export interface WebhookDeliveryTable {
  /** Sorts as the entries do. */
  id: string
  webhook_id: string
  activity_id: string
  state: 'waiting' | 'delivered' | 'failed'
  /** Somebody asked for it: it is sent first, although the webhook is paused or held. */
  asked: Flag
  tries: number
  /** Null when it is not sent any more. */
  next_at: string | null
  tried_at: string | null
  status_code: number | null
  duration_ms: number | null
  failure: string | null
}

/** Mails that are to be sent, and for some days those that were. */
export interface MailQueueTable {
  id: string
  /** Whom it is about; null for somebody without an account, or whose account is gone. */
  account_id: string | null
  /** What it is for, in a word for logs and operators. */
  purpose: string
  /** Exactly one address. */
  recipient: string
  /** Encrypted; null once it was sent, or the secret in it is of no use any more. */
  content: string | null
  state: 'waiting' | 'sent' | 'failed'
  tries: number
  /** Null when it is not sent any more; while it is claimed, when that is over. */
  next_at: string | null
  /** The try that is under way; null: none is. One that is over is of a server that was killed. */
  claim: string | null
  tried_at: string | null
  created_at: string
  /** Until when the secret in it is of use; null: it has none. */
  expires_at: string | null
  failure: string | null
}

/** A call that is made for many objects. */
export interface BatchTable {
  id: string
  project_id: string
  /** Who requested it; null once the account was deleted. */
  account_id: string | null
  /** JSON: the body of the request without the ids. */
  request: string
  created_at: string
  /** Null while items wait. */
  ended_at: string | null
}

export interface BatchItemTable {
  batch_id: string
  /** In the order of the request, from 0. */
  place: number
  object_id: string
  /** As it was called when the batch was requested. */
  object_name: string
  state: 'waiting' | 'done' | 'failed' | 'left_out'
  message: string | null
  /** The snapshot that was created. */
  created_id: string | null
}

/** Something that was deleted and can be restored; what carries its id as `bin_id` is in the bin with it. */
export interface BinTable {
  /** Of the object that was deleted. */
  id: string
  project_id: string
  kind: 'project' | 'vm' | 'disk' | 'vm_snapshot' | 'disk_snapshot' | 'vm_pool' | 'vm_set'
  name: string
  deleted_at: string
  /** Null once the account was deleted. */
  deleted_by: string | null
  /** From when on it is deleted for good. */
  delete_at: string
  /** What a VM is wanted to be when it comes back. */
  power: 'on' | 'off' | 'suspended' | null
  /** JSON list of the disks that were attached to a VM and are not in the bin. */
  attached: string
  /** How many shared ports of a VM ended. */
  ended_shares: number
  /** Whether the limits of the bin were kept since it came in. */
  counted: Flag
  /** Why it is deleted for good before its time; null: it is not. */
  leaves_why: string | null
}

/** A key that a client sent with the creation of an object. */
export interface IdempotencyKeyTable {
  account_id: string
  /** Name of the call. */
  endpoint: string
  key: string
  /** Of method, path and body, in hex. */
  request_hash: string
  object_id: string
  /** JSON; null until it has been stored, which is after the object. */
  answer: string | null
  created_at: string
}

/** What a VM, a group or a project used in a span of five minutes, by its end; rates in bytes a second. */
export interface UsageSampleTable {
  owner_id: string
  at: string
  /** How many VMs were running. */
  running: number
  /** Percent of their processors. */
  cpu: number | null
  memory_mb: number | null
  disk_read: number | null
  disk_write: number | null
  net_in: number | null
  net_out: number | null
}

/** One row: what the clock guard saw last. */
export interface SeenTimeTable {
  id: number
  /** By the clock that is believed, in milliseconds since the epoch. */
  trusted_ms: number
  /** How long another time has been watched, in milliseconds; 0 when the clock is believed. */
  watched_ms: number
}

/** At most one row: what the operator tells everybody. */
export interface NoticeTable {
  id: 1
  tone: string
  text: string
  set_at: string
}

/** At most one row: which of the servers that run on this database drives, see lease.ts. */
export interface LeaseTable {
  id: 1
  /** One more each time that another server takes it. */
  number: number
  /** Names one process; null when it was given up. */
  holder: string | null
  /** What the holder counts up for as long as it lives. */
  beat: number
  /** Id of the data directory whose server alone may take it; null when any may. */
  home: string | null
}

/** At most one row: the number of the newest message between the servers that run on this database. */
export interface RevisionTable {
  id: 1
  /** Names the count; another one begins with another database. */
  epoch: string
  number: number
}
