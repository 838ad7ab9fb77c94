import { expect, test } from 'vitest'
import { paths } from './paths.ts'

test('every URL of the console is as the specification has it', () => {
  const all = Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, typeof path === 'string' ? path : path('p 1', 'x/2')]),
  )
  expect(all).toEqual({
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
    create: '/create?template=p%201',
    vms: '/projects/p%201/vms',
    vmCreate: '/projects/p%201/vms/create?template=x%2F2',
    vm: '/projects/p%201/vms/x%2F2',
    vmPools: '/projects/p%201/vmpools',
    vmSets: '/projects/p%201/vmsets',
    disks: '/projects/p%201/disks',
    snapshots: '/projects/p%201/snapshots',
    diskSnapshots: '/projects/p%201/disk-snapshots',
  })
})

test('a form URL without a template has no query', () => {
  expect(paths.create()).toBe('/create')
  expect(paths.vmCreate('p1')).toBe('/projects/p1/vms/create')
})
