/** Every URL of the console, built in one place. Ids are percent-encoded. */
const project = (projectId: string) => `/projects/${encodeURIComponent(projectId)}`
const withQuery = (path: string, query: Record<string, string | undefined>) => {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value ? [`${name}=${encodeURIComponent(value)}`] : [],
  )
  return parts.length > 0 ? `${path}?${parts.join('&')}` : path
}
const withTemplate = (path: string, template: string | undefined) => withQuery(path, { template })

export const paths = {
  home: '/',
  signIn: '/signin',
  signUp: '/signup',
  verifyEmail: '/verify-email',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  confirmEmail: '/confirm-email',
  privacy: '/privacy',
  terms: '/terms',
  onboarding: '/onboarding',
  templates: '/templates',
  projects: '/projects',
  sshKeys: '/ssh-keys',
  account: '/account',
  accountActivity: '/activity',
  apiReference: '/api-reference',
  adminTemplates: '/admin/templates',
  adminAccounts: '/admin/accounts',
  adminAccount: (accountId: string) => `/admin/accounts/${encodeURIComponent(accountId)}`,
  adminOperations: '/admin/operations',
  adminHealth: '/admin/health',
  adminCatalogue: '/admin/catalogue',
  create: (templateId?: string) => withTemplate('/create', templateId),
  /** With an object only what happened to it. */
  activity: (projectId: string, object?: string) => withQuery(`${project(projectId)}/activity`, { object }),
  bin: (projectId: string) => `${project(projectId)}/bin`,
  /** The question before a project is deleted, with all that is in it, over the list of projects. */
  deleteProject: (of: string) => withQuery('/projects', { dialog: 'delete-project', of }),
  members: (projectId: string) => `${project(projectId)}/members`,
  network: (projectId: string) => `${project(projectId)}/network`,
  webhooks: (projectId: string) => `${project(projectId)}/webhooks`,
  webhook: (projectId: string, webhookId: string) =>
    `${project(projectId)}/webhooks/${encodeURIComponent(webhookId)}`,
  vms: (projectId: string) => `${project(projectId)}/vms`,
  vmCreate: (projectId: string, templateId?: string) =>
    withTemplate(`${project(projectId)}/vms/create`, templateId),
  vm: (projectId: string, vmId: string) => `${project(projectId)}/vms/${encodeURIComponent(vmId)}`,
  vmConsole: (projectId: string, vmId: string) =>
    `${project(projectId)}/vms/${encodeURIComponent(vmId)}/console`,
  /** The same without the console's frame. */
  vmConsoleWindow: (projectId: string, vmId: string) =>
    `${project(projectId)}/vms/${encodeURIComponent(vmId)}/console/window`,
  vmPools: (projectId: string) => `${project(projectId)}/vmpools`,
  vmPoolCreate: (projectId: string, template?: string, snapshot?: string) =>
    withQuery(`${project(projectId)}/vmpools/create`, { template, snapshot }),
  vmPool: (projectId: string, poolId: string) =>
    `${project(projectId)}/vmpools/${encodeURIComponent(poolId)}/vms`,
  vmSets: (projectId: string) => `${project(projectId)}/vmsets`,
  vmSetCreate: (projectId: string, template?: string, snapshot?: string) =>
    withQuery(`${project(projectId)}/vmsets/create`, { template, snapshot }),
  vmSet: (projectId: string, setId: string) =>
    `${project(projectId)}/vmsets/${encodeURIComponent(setId)}/vms`,
  disks: (projectId: string) => `${project(projectId)}/disks`,
  disk: (projectId: string, diskId: string) => `${project(projectId)}/disks/${encodeURIComponent(diskId)}`,
  /** What came of a batch, over the activity of the project. */
  batch: (projectId: string, of: string) =>
    withQuery(`${project(projectId)}/activity`, { dialog: 'batch', of }),
  diskCreate: (projectId: string) => `${project(projectId)}/disks/create`,
  /** The form with a VM's snapshot as the source. */
  diskFromVmSnapshot: (projectId: string, snapshot: string, snapshot_id?: string) =>
    withQuery(`${project(projectId)}/disks/create`, { source: 'SNAPSHOT', snapshot, snapshot_id }),
  snapshots: (projectId: string, search?: string) => withQuery(`${project(projectId)}/snapshots`, { search }),
  snapshot: (projectId: string, snapshotId: string) =>
    `${project(projectId)}/snapshots/${encodeURIComponent(snapshotId)}`,
  snapshotCreate: (projectId: string, vm?: string) =>
    withQuery(`${project(projectId)}/snapshots/create`, { vm }),
  diskSnapshots: (projectId: string, search?: string) =>
    withQuery(`${project(projectId)}/disk-snapshots`, { search }),
  diskSnapshot: (projectId: string, diskSnapshotId: string) =>
    `${project(projectId)}/disk-snapshots/${encodeURIComponent(diskSnapshotId)}`,
  diskSnapshotCreate: (projectId: string, disk?: string) =>
    withQuery(`${project(projectId)}/disk-snapshots/create`, { disk }),
} as const

/** The page of an object of a project, by the word the API has for its kind. */
export const objectPaths = {
  vm: paths.vm,
  vm_pool: paths.vmPool,
  vm_set: paths.vmSet,
  disk: paths.disk,
  vm_snapshot: paths.snapshot,
  disk_snapshot: paths.diskSnapshot,
} as const satisfies Record<string, (projectId: string, id: string) => string>
