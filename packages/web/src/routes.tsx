import { lazy, Suspense } from 'react'
import { createBrowserRouter, Outlet, type RouteObject, ScrollRestoration } from 'react-router'
import { useSession } from './api/session.ts'
import { Component as ErrorPage } from './frame/ErrorPage.tsx'
import { PageFocus } from './frame/PageFocus.tsx'
import { scrollKey } from './shell/dialog-url.ts'

// A visitor has nothing that changes, and does not load what keeps it current.
const LiveProject = lazy(async () => ({ default: (await import('./frame/LiveProject.tsx')).LiveProject }))

function Root() {
  const { state } = useSession()
  return (
    <>
      {state === 'in' && (
        <Suspense>
          <LiveProject />
        </Suspense>
      )}
      <Outlet />
      <PageFocus />
      <ScrollRestoration getKey={scrollKey} />
    </>
  )
}

const projectScoped: RouteObject[] = [
  { path: 'activity', lazy: () => import('./features/activity/ActivityPage.tsx') },
  { path: 'bin', lazy: () => import('./features/bin/BinPage.tsx') },
  { path: 'members', lazy: () => import('./features/member/MemberListPage.tsx') },
  { path: 'network', lazy: () => import('./features/network/NetworkPage.tsx') },
  { path: 'webhooks', lazy: () => import('./features/webhook/WebhookListPage.tsx') },
  { path: 'webhooks/:webhookId', lazy: () => import('./features/webhook/WebhookPage.tsx') },
  { path: 'vms', lazy: () => import('./features/vm/VmListPage.tsx') },
  { path: 'vms/create', lazy: () => import('./features/vm/VmCreatePage.tsx') },
  { path: 'vms/:vmId', lazy: () => import('./features/vm/VmPage.tsx') },
  { path: 'vmpools', lazy: () => import('./features/vm-pool/VmPoolListPage.tsx') },
  { path: 'vmpools/create', lazy: () => import('./features/vm-pool/VmPoolCreatePage.tsx') },
  { path: 'vmpools/:vmpoolId/vms', lazy: () => import('./features/vm-pool/VmPoolPage.tsx') },
  { path: 'vmsets', lazy: () => import('./features/vm-set/VmSetListPage.tsx') },
  { path: 'vmsets/create', lazy: () => import('./features/vm-set/VmSetCreatePage.tsx') },
  { path: 'vmsets/:vmsetId/vms', lazy: () => import('./features/vm-set/VmSetPage.tsx') },
  { path: 'snapshots', lazy: () => import('./features/vm-snapshot/VmSnapshotListPage.tsx') },
  { path: 'snapshots/create', lazy: () => import('./features/vm-snapshot/VmSnapshotCreatePage.tsx') },
  { path: 'snapshots/:snapshotId', lazy: () => import('./features/vm-snapshot/VmSnapshotPage.tsx') },
  { path: 'disks', lazy: () => import('./features/disk/DiskListPage.tsx') },
  { path: 'disks/create', lazy: () => import('./features/disk/DiskCreatePage.tsx') },
  { path: 'disks/:diskId', lazy: () => import('./features/disk/DiskPage.tsx') },
  { path: 'disk-snapshots', lazy: () => import('./features/disk-snapshot/DiskSnapshotListPage.tsx') },
  {
    path: 'disk-snapshots/create',
    lazy: () => import('./features/disk-snapshot/DiskSnapshotCreatePage.tsx'),
  },
  {
    path: 'disk-snapshots/:diskSnapshotId',
    lazy: () => import('./features/disk-snapshot/DiskSnapshotPage.tsx'),
  },
]

const signedIn: RouteObject[] = [
  { path: 'onboarding', lazy: () => import('./features/project/OnboardingPage.tsx') },
  { path: 'templates', lazy: () => import('./features/template/TemplateListPage.tsx') },
  { path: 'admin/templates', lazy: () => import('./features/template/TemplateCreatePage.tsx') },
  { path: 'admin/accounts', lazy: () => import('./features/admin/AdminAccountListPage.tsx') },
  { path: 'admin/accounts/:accountId', lazy: () => import('./features/admin/AdminAccountPage.tsx') },
  { path: 'admin/operations', lazy: () => import('./features/admin/AdminOperationsPage.tsx') },
  { path: 'admin/health', lazy: () => import('./features/admin/AdminHealthPage.tsx') },
  { path: 'admin/catalogue', lazy: () => import('./features/admin/AdminCataloguePage.tsx') },
  { path: 'create', lazy: () => import('./features/vm/VmCreatePage.tsx') },
  { path: 'ssh-keys', lazy: () => import('./features/ssh-key/SshKeyListPage.tsx') },
  { path: 'account', lazy: () => import('./features/account/AccountPage.tsx') },
  { path: 'activity', lazy: () => import('./features/activity/AccountActivityPage.tsx') },
  { path: 'api-reference', lazy: () => import('./features/api-reference/ApiReferencePage.tsx') },
  { path: 'invitation', lazy: () => import('./features/member/InvitationPage.tsx') },
  { path: 'projects', lazy: () => import('./features/project/ProjectListPage.tsx') },
  // Not within the project: its text is there before it is known whose project it is, and the VM itself says.
  {
    path: 'projects/:projectId/vms/:vmId/console',
    lazy: () => import('./features/console/ConsolePage.tsx'),
  },
  {
    path: 'projects/:projectId',
    lazy: () => import('./features/project/ProjectScope.tsx'),
    children: projectScoped,
  },
]

const alone: RouteObject[] = [
  { path: 'signin', lazy: () => import('./features/account/SignInPage.tsx') },
  { path: 'signup', lazy: () => import('./features/account/SignUpPage.tsx') },
  { path: 'verify-email', lazy: () => import('./features/account/VerifyEmailPage.tsx') },
  { path: 'confirm-email', lazy: () => import('./features/account/ConfirmEmailPage.tsx') },
  { path: 'forgot-password', lazy: () => import('./features/account/ForgotPasswordPage.tsx') },
  { path: 'reset-password', lazy: () => import('./features/account/ResetPasswordPage.tsx') },
]

const legal: RouteObject[] = [
  { path: 'privacy', lazy: () => import('./features/public/PrivacyPage.tsx') },
  { path: 'terms', lazy: () => import('./features/public/TermsPage.tsx') },
]

/** Every page of the console. A page module exports `Component`; it is fetched when it is first shown. */
const routes: RouteObject[] = [
  {
    element: <Root />,
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <></>,
    children: [
      { index: true, lazy: () => import('./frame/HomePage.tsx') },
      { lazy: () => import('./frame/AuthLayout.tsx'), children: alone },
      { lazy: () => import('./frame/PublicLayout.tsx'), children: legal },
      { lazy: () => import('./frame/AppLayout.tsx'), children: signedIn },
      {
        path: 'projects/:projectId/vms/:vmId/console/window',
        lazy: () => import('./features/console/ConsoleWindowPage.tsx'),
      },
      { path: '*', lazy: () => import('./frame/NotFoundPage.tsx') },
      ...(import.meta.env.DEV ? [{ path: 'gallery', lazy: () => import('./gallery/GalleryPage.tsx') }] : []),
    ],
  },
]

/** The pages of the console, at the address of the window. */
export const makeRouter = () => createBrowserRouter(routes)
