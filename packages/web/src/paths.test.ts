import { expect, test } from 'vitest'
import { objectPaths, paths } from './paths.ts'

test('every URL of the console is as the specification has it', () => {
  const all = Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, typeof path === 'string' ? path : path('p 1', 'x/2')]),
  )
  expect(all).toEqual({
    home: '/',
    signIn: '/signin',
    signUp: '/signup',
    verifyEmail: '/verify-email',
    confirmEmail: '/confirm-email',
    forgotPassword: '/forgot-password',
    resetPassword: '/reset-password',
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
    adminAccount: '/admin/accounts/p%201',
    adminOperations: '/admin/operations',
    adminHealth: '/admin/health',
    adminCatalogue: '/admin/catalogue',
    create: '/create?template=p%201',
    activity: '/projects/p%201/activity?object=x%2F2',
    bin: '/projects/p%201/bin',
    deleteProject: '/projects?dialog=delete-project&of=p%201',
    members: '/projects/p%201/members',
    network: '/projects/p%201/network',
    webhooks: '/projects/p%201/webhooks',
    webhook: '/projects/p%201/webhooks/x%2F2',
    vms: '/projects/p%201/vms',
    vmCreate: '/projects/p%201/vms/create?template=x%2F2',
    vm: '/projects/p%201/vms/x%2F2',
    vmConsole: '/projects/p%201/vms/x%2F2/console',
    vmConsoleWindow: '/projects/p%201/vms/x%2F2/console/window',
    vmPools: '/projects/p%201/vmpools',
    vmPoolCreate: '/projects/p%201/vmpools/create?template=x%2F2',
    vmPool: '/projects/p%201/vmpools/x%2F2/vms',
    vmSets: '/projects/p%201/vmsets',
    vmSetCreate: '/projects/p%201/vmsets/create?template=x%2F2',
    vmSet: '/projects/p%201/vmsets/x%2F2/vms',
    disks: '/projects/p%201/disks',
    disk: '/projects/p%201/disks/x%2F2',
    batch: '/projects/p%201/activity?dialog=batch&of=x%2F2',
    diskCreate: '/projects/p%201/disks/create',
    diskFromVmSnapshot: '/projects/p%201/disks/create?source=SNAPSHOT&snapshot=x%2F2',
    snapshots: '/projects/p%201/snapshots?search=x%2F2',
    snapshot: '/projects/p%201/snapshots/x%2F2',
    snapshotCreate: '/projects/p%201/snapshots/create?vm=x%2F2',
    diskSnapshot: '/projects/p%201/disk-snapshots/x%2F2',
    diskSnapshots: '/projects/p%201/disk-snapshots?search=x%2F2',
    diskSnapshotCreate: '/projects/p%201/disk-snapshots/create?disk=x%2F2',
  })
})

test('a URL without what may be in its query has none', () => {
  expect(paths.create()).toBe('/create')
  expect(paths.activity('p1')).toBe('/projects/p1/activity')
  expect(paths.vmCreate('p1')).toBe('/projects/p1/vms/create')
  expect(paths.vmPoolCreate('p1')).toBe('/projects/p1/vmpools/create')
  expect(paths.vmSetCreate('p1')).toBe('/projects/p1/vmsets/create')
  expect(paths.snapshots('p1')).toBe('/projects/p1/snapshots')
  expect(paths.snapshotCreate('p1')).toBe('/projects/p1/snapshots/create')
  expect(paths.diskSnapshotCreate('p1')).toBe('/projects/p1/disk-snapshots/create')
})

test('a disk from a VM snapshot is told its name and, where names are ambiguous, its id', () => {
  expect(paths.diskFromVmSnapshot('p1', 'before update', 's1')).toBe(
    '/projects/p1/disks/create?source=SNAPSHOT&snapshot=before%20update&snapshot_id=s1',
  )
})

test('each object of a project has a page of its own, and none is shown as a list', () => {
  const pages = Object.values(objectPaths).map((pathOf) => pathOf('p1', 'x1'))
  expect(new Set(pages).size).toBe(pages.length)
  for (const path of pages) expect(path).toMatch(/^\/projects\/p1\/[a-z-]+\/x1(\/vms)?$/)
})
