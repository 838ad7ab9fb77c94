import type { EndpointId } from './endpoint.ts'

/** The resource of a call: `vm` of `vm.start`. */
type Tag = EndpointId extends infer Id ? (Id extends `${infer Resource}.${string}` ? Resource : never) : never

/** What the calls of each resource are about, in the order in which people read of them: its name, and a sentence. */
export const tags: Readonly<Record<Tag, readonly [name: string, description: string]>> = {
  project: ['Projects', 'Projects group VMs, disks and snapshots. Everything else is in a project.'],
  projectMember: ['Members', 'Who may work in a project, in which role, and who is invited to it.'],
  handOver: ['Hand-overs', 'A project that waits for a member to become its owner.'],
  vm: ['VMs', 'Create, start, stop, suspend, fork and delete VMs, and reach their consoles.'],
  startScript: ['Start scripts', 'What VMs run when they boot for the first time, and what came of it.'],
  vmSnapshot: ['VM snapshots', 'Snapshots of VMs: restore a VM to one, or create VMs from it.'],
  vmSnapshotSchedule: [
    'Snapshot schedules of VMs',
    'When snapshots of a VM are taken, how many are kept, and which were missed.',
  ],
  vmPool: ['VM pools', 'Groups of equal VMs that can scale automatically with their load.'],
  vmSet: ['VM sets', 'Groups of equal VMs with a fixed number of replicas.'],
  disk: ['Disks', 'Data disks, which are attached to VMs and outlive them.'],
  upload: ['Uploads', 'Files that become disks, sent in pieces and continued after interruptions.'],
  diskSnapshot: ['Disk snapshots', 'Snapshots of data disks, from which new disks can be created.'],
  diskSnapshotSchedule: [
    'Snapshot schedules of disks',
    'When snapshots of a disk are taken, how many are kept, and which were missed.',
  ],
  network: ['Network', 'The private network of a project: addresses, names and Internet access.'],
  share: ['Shared ports', 'Ports of VMs that can be opened from outside.'],
  usage: ['Usage', 'What the VMs of a project use: processors, memory, disk and network.'],
  quota: ['Quotas', 'What an account or a project uses, and its limits.'],
  operation: ['Operations', 'Long work that is running or waiting: downloads, copies, restores and merges.'],
  batch: ['Batches', 'One call for many objects, made by the server, with a result for each object.'],
  projectBin: [
    'Bin of projects',
    'Projects that were deleted lately: restore one with everything in it, or delete it for good.',
  ],
  templateBin: [
    'Bin of templates',
    'Templates that were deleted lately: restore one, or delete it for good; for administrators.',
  ],
  bin: ['Bin', 'What was deleted lately: restore it, or delete it for good.'],
  activity: ['Activity', 'The log of what happened, who did it and why.'],
  webhook: [
    'Webhooks',
    'Send the activity of a project to other systems as it happens, signed and tried again.',
  ],
  event: ['Events', 'Changes of objects as server-sent events.'],
  search: ['Search', 'Find objects by their names and ids.'],
  template: ['Templates', 'What VMs are created from. Administrators look after the catalogue.'],
  sshKey: ['SSH keys', 'The public keys of an account, which open its VMs.'],
  host: ['Host', 'What this installation is and can do, its health and its metrics.'],
  account: [
    'Account',
    'Sign up, sign in and out, and change the account. Most of these calls need a session.',
  ],
  apiToken: ['API tokens', 'Keys for programs. Tokens are created and revoked in a session.'],
  passkey: ['Passkeys', 'Passkeys of an account.'],
  totp: ['Two-factor authentication', 'Codes of an authenticator app, and recovery codes.'],
  proof: ['Confirmation', 'Confirm who is signed in, for calls that ask for it.'],
  oidc: ['Sign-in providers', 'Sign in with a provider, and the identities that are linked to an account.'],
  accountExport: ['Account export', 'Everything that is stored about an account.'],
  accountDeletion: ['Account deletion', 'Delete an account, or keep it after all.'],
  adminAccount: ['Accounts', 'All accounts and their limits; for administrators.'],
  adminMail: ['Mails', 'Mails that wait, failed or were sent; for administrators'],
  notice: ['Notice', 'A notice for everybody on every page; for administrators.'],
  health: ['Health', 'The state and the capacity of the server; for administrators.'],
}

/** The resource that a call belongs to. */
export const tagOf = (id: EndpointId): Tag => id.slice(0, id.indexOf('.')) as Tag
