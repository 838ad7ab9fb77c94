/** Every URL of the console, built in one place. Ids are percent-encoded. */
const project = (projectId: string) => `/projects/${encodeURIComponent(projectId)}`
const withTemplate = (path: string, templateId: string | undefined) =>
  templateId ? `${path}?template=${encodeURIComponent(templateId)}` : path

export const paths = {
  home: '/',
  signIn: '/signin',
  signUp: '/signup',
  verifyEmail: '/verify-email',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  privacy: '/privacy',
  terms: '/terms',
  onboarding: '/onboarding',
  templates: '/templates',
  projects: '/projects',
  sshKeys: '/ssh-keys',
  adminTemplates: '/admin/templates',
  create: (templateId?: string) => withTemplate('/create', templateId),
  vms: (projectId: string) => `${project(projectId)}/vms`,
  vmCreate: (projectId: string, templateId?: string) =>
    withTemplate(`${project(projectId)}/vms/create`, templateId),
  vm: (projectId: string, vmId: string) => `${project(projectId)}/vms/${encodeURIComponent(vmId)}`,
  vmPools: (projectId: string) => `${project(projectId)}/vmpools`,
  vmSets: (projectId: string) => `${project(projectId)}/vmsets`,
  disks: (projectId: string) => `${project(projectId)}/disks`,
  snapshots: (projectId: string) => `${project(projectId)}/snapshots`,
  diskSnapshots: (projectId: string) => `${project(projectId)}/disk-snapshots`,
} as const
