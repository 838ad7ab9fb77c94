import type { APIRequest, BrowserContext, Locator, Page } from '@playwright/test'
import {
  apiTokenApi,
  type BinItem,
  type BinProject,
  binApi,
  type CallOutput,
  diskApi,
  diskSnapshotApi,
  projectApi,
  projectBinApi,
  projectMemberApi,
  scalingDefaults,
  sshKeyApi,
  templateApi,
  type Vm,
  vmApi,
  vmPoolApi,
  vmSetApi,
  vmSnapshotApi,
  webhookApi,
} from '@slipway/contract'
import { type Call, callWith, expect, join, makeVm, newPerson, often, templateId } from './fixtures.ts'
import { answer, withoutStream } from './network.ts'
import { imageIn, makeDisk, makeTemplate, makeVmPool, makeVmSet } from './objects.ts'
import {
  activityPath,
  binPath,
  consolePath,
  diskCreatePath,
  diskListPath,
  diskSnapshotCreatePath,
  diskSnapshotListPath,
  membersPath,
  networkPath,
  snapshotCreatePath,
  snapshotListPath,
  vmListPath,
  vmPath,
  vmPoolCreatePath,
  vmPoolListPath,
  vmPoolPath,
  vmSetCreatePath,
  vmSetListPath,
  vmSetPath,
  webhookListPath,
} from './paths.ts'
import { newPublicKey, type Person } from './person.ts'
import { choose } from './sentences.ts'
import type { Server } from './server.ts'

/** Every page, dialog and open menu of the console, filled with names that do not fit. */

export interface Place {
  name: string
  who: Visitor
  path: string
  /** Before the page is opened, such as answers without which it would say that there is no such thing. */
  prepare?: (page: Page) => Promise<void>
  /** Opens what lies over the page; gives that back once it is there. */
  open?: (page: Page) => Promise<Locator>
  /** Only where the sidebar is a drawer. */
  narrow?: boolean
}

type Visitor = 'nobody' | 'newcomer' | 'beginner' | 'owner' | 'viewer' | 'operator'

export interface House {
  places: Place[]
  cookies: Record<Visitor, Parameters<BrowserContext['addCookies']>[0]>
}

/** Names that do not fit, run the other way or are no letters at all. */
const long = `payments-${'ledger-'.repeat(12)}eu-north`.slice(0, 100)
const arabic = 'قاعدة بيانات الإنتاج'
const emoji = '🚀👩‍🚀 ракета 🛰️'

/** Makes somebody without a project, somebody without a VM, and somebody with one of everything, badly named. */
export async function furnish(server: Server, request: APIRequest): Promise<House> {
  const visit = async (more: Partial<Person> = {}) => {
    const person = { ...newPerson(), ...more }
    const context = await request.newContext({ baseURL: server.url })
    const call = callWith(context)
    await join(call, server, person)
    const { cookies } = await context.storageState()
    return { call, cookies, email: person.email, leave: () => context.dispose() }
  }

  const newcomer = await visit()
  const beginner = await visit()
  const empty = await beginner.call(projectApi.create, { body: { name: 'Engines' } })

  const { call, ...owner } = await visit()
  const project = await call(projectApi.create, {
    body: { name: long, description: `${long} ${arabic} ${emoji}` },
  })
  for (const name of [arabic, emoji]) await call(projectApi.create, { body: { name } })
  for (const key_name of [long, arabic]) {
    await call(sshKeyApi.create, { body: { key_name, ssh_public_key: newPublicKey() } })
  }
  for (const [name, access] of [
    [long, 'write'],
    [arabic, 'read'],
  ] as const) {
    const project_ids = access === 'read' ? null : [project.id]
    await call(apiTokenApi.create, { body: { name, access, project_ids } })
  }
  // Paused, so that no request of it is in the pictures.
  const webhook = await call(webhookApi.create, {
    params: { projectId: project.id },
    body: { url: `https://hooks.invalid/${long}`, description: long, objects: ['vm', 'disk'], paused: true },
  })
  const [key] = await call(sshKeyApi.list, {})
  const body = { template_id: templateId, ssh_key_id: key?.id ?? '' }
  const failed = await makeVm(call, project.id, { ...body, name: 'fault-crash' }, 'failed')
  const coming = await makeVm(call, project.id, { ...body, name: 'fault-never-ready' }, 'provisioning')
  const stopped = await makeVm(call, project.id, { ...body, name: arabic }, 'running')
  await call(vmApi.stop, { params: { projectId: project.id, vmId: stopped.id }, body: {} })
  await makeVm(call, project.id, { ...body, name: emoji, persistent: false })
  const running = await makeVm(call, project.id, { ...body, name: long }, 'running')
  await makeSnapshots(call, running)
  const params = { projectId: project.id }
  const invite = async (email: string, role: 'viewer' | 'operator') => {
    await call(projectMemberApi.invite, { params, body: { email, role } })
    return server.mailedLink(email, 'invitation')
  }
  const viewer = await visit({
    firstName: long.slice(0, 60),
    email: `${long.slice(0, 44)}@ledger.example.org`,
  })
  const operator = await visit({ firstName: arabic, lastName: 'Ракета' })
  for (const [member, role] of [
    [viewer, 'viewer'],
    [operator, 'operator'],
  ] as const) {
    const link = new URL(await invite(member.email, role), server.url)
    await member.call(projectMemberApi.accept, { body: { token: link.searchParams.get('token') ?? '' } })
  }
  const invitation = await invite(newcomer.email, 'operator')
  for (const { leave } of [newcomer, beginner, owner, viewer, operator]) await leave()

  const of = (who: Visitor, paths: Record<string, string>): Place[] =>
    Object.entries(paths).map(([name, path]) => ({ name, who, path }))
  const create = `/create?template=${templateId}`
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
  const menu = (name: string, path: string, opener: string | RegExp): Place => ({
    name,
    who: 'owner',
    path,
    open: async (page) => {
      await button(page, opener).click()
      return page.getByRole('menu')
    },
  })
  const select = (path: string, label: string, name = `the choices of ${label}`): Place => ({
    name,
    who: 'owner',
    path,
    open: async (page) => {
      await page.getByRole('combobox', { name: label, exact: true }).click()
      return page.getByRole('listbox')
    },
  })
  const over = (
    role: 'dialog' | 'alertdialog',
    name: string,
    path: string,
    open: (page: Page) => Promise<void>,
  ): Place => ({
    name,
    who: 'owner',
    path,
    open: async (page) => {
      await open(page)
      return page.getByRole(role)
    },
  })
  // Tab is the guest's in there, so what walks the page begins beside it.
  const lookInto = (name: string, path: string, open?: (page: Page) => Promise<void>): Place => ({
    name,
    who: 'owner',
    path,
    open: async (page) => {
      await expect(page.getByRole('textbox', { name: 'Serial console' })).toBeFocused()
      await page.keyboard.press('Control+Shift+Enter')
      await open?.(page)
      return page.getByRole('region', { name: 'Console', exact: true })
    },
  })
  const fromMenu = async (page: Page, opener: string | RegExp, entry: string | RegExp) => {
    await button(page, opener).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }
  const manageProjects = async (page: Page) => {
    await button(page, 'Manage Projects').click()
    await expect(page.getByRole('dialog').getByText('Counting VMs...')).toHaveCount(0)
  }

  return {
    cookies: {
      nobody: [],
      newcomer: newcomer.cookies,
      beginner: beginner.cookies,
      owner: owner.cookies,
      viewer: viewer.cookies,
      operator: operator.cookies,
    },
    places: [
      ...of('nobody', {
        'the landing page': '/',
        'sign in': '/signin',
        'sign up': '/signup',
        'a mailed link without its token': '/verify-email',
        'the forgotten password': '/forgot-password',
        'a reset link without its token': '/reset-password',
        'a link to a new email without its token': '/confirm-email',
        'the new password': '/reset-password?token=some',
        privacy: '/privacy',
        terms: '/terms',
        'no page': '/no/such/page',
      }),
      ...of('newcomer', {
        'the dashboard without projects': '/',
        'the first project': '/onboarding',
        'no projects': '/projects',
        'no keys': '/ssh-keys',
        'the account of a newcomer': '/account',
        'the create form without projects': '/create',
        'an invitation': invitation,
        'an invitation that is over': '/invitation?token=some',
        'an invitation without its token': '/invitation',
      }),
      ...of('beginner', {
        'the dashboard without VMs': '/',
        'the projects of a beginner': '/projects',
        'no VMs': vmListPath(empty.id),
        'the network of a beginner': networkPath(empty.id),
        'no webhooks': webhookListPath(empty.id),
        'no snapshots': snapshotListPath(empty.id),
        'the form of a snapshot without VMs': snapshotCreatePath(empty.id),
        'no disk snapshots': diskSnapshotListPath(empty.id),
        'no disks': diskListPath(empty.id),
        'the activity of a beginner': activityPath(empty.id),
        'the members of a beginner': membersPath(empty.id),
        'an empty bin': binPath(empty.id),
        'an invitation of somebody else': invitation,
      }),
      ...of('viewer', {
        'the members as a viewer sees them': membersPath(project.id),
        'a VM as a viewer sees it': vmPath(running),
        'the webhooks as a viewer sees them': webhookListPath(project.id),
        'the projects of a viewer': '/projects',
      }),
      ...of('operator', { 'the members as an operator sees them': membersPath(project.id) }),
      ...of('owner', {
        'the dashboard': '/',
        'the projects': '/projects',
        'the templates': '/templates',
        'the form of a template': '/admin/templates',
        'the keys': '/ssh-keys',
        'the account': '/account',
        'the API reference': '/api-reference?search=fork#vmFork',
        'the create form': create,
        'the create form of a project': `${vmListPath(project.id)}/create`,
        'the VMs': vmListPath(project.id),
        'the network': networkPath(project.id),
        'the members': membersPath(project.id),
        'the webhooks': webhookListPath(project.id),
        'a webhook': `${webhookListPath(project.id)}/${webhook.id}`,
        'a running VM': vmPath(running),
        'a stopped VM': vmPath(stopped),
        'a VM on its way': vmPath(coming),
        'a failed VM': vmPath(failed),
        'a VM that is gone': vmPath({ project_id: project.id, id: 'none' }),
        'a project that is gone': vmListPath('none'),
        'the snapshots': snapshotListPath(project.id),
        'no snapshot that is meant': `${snapshotListPath(project.id)}?search=none-such`,
        'the form of a snapshot': snapshotCreatePath(project.id),
        'the disk snapshots': diskSnapshotListPath(project.id),
        'the form of a disk snapshot': diskSnapshotCreatePath(project.id),
        'the disks': diskListPath(project.id),
        'the form of a disk': diskCreatePath(project.id),
        'the activity': activityPath(project.id),
        'the activity of one VM': `${activityPath(project.id)}?object=${failed.id}`,
        'no activity that is meant': `${activityPath(project.id)}?kind=repair&by=user`,
        'the activity of the account': '/activity',
        'no pools': vmPoolListPath(project.id),
        'the form of a pool': vmPoolCreatePath(project.id),
        'the form of a set': vmSetCreatePath(project.id),
        'no page of the console': '/no/such/page',
      }),
      {
        name: 'the drawer',
        who: 'owner',
        path: '/templates',
        narrow: true,
        open: async (page) => {
          await button(page, 'Open menu').click()
          return page.getByRole('dialog', { name: 'Menu' })
        },
      },
      over('alertdialog', 'the question about Internet access', networkPath(project.id), (page) =>
        button(page, 'Switch off Internet access').click(),
      ),
      over('dialog', 'a port to share', vmPath(running), (page) => button(page, 'Share a port').click()),
      over('dialog', 'a webhook to create', webhookListPath(project.id), async (page) => {
        await button(page, 'Create Webhook').first().click()
        await page.getByRole('radio', { name: 'Only some' }).check()
      }),
      {
        name: 'a webhook as text',
        who: 'owner',
        path: webhookListPath(project.id),
        open: async (page) => {
          await button(page, 'Create Webhook').first().click()
          await page.getByLabel('URL').fill(`https://hooks.invalid/${long}`)
          await page.getByLabel('Description').fill(arabic)
          await button(page, 'Show as Text').click()
          return page.getByRole('dialog', { name: 'Show as Text' })
        },
      },
      over('dialog', 'a snapshot schedule to set', vmPath(running), (page) =>
        button(page, 'Set Schedule').click(),
      ),
      { name: 'the bin', who: 'owner', path: binPath(project.id), prepare: fillBin },
      {
        name: 'the end of something in the bin',
        who: 'owner',
        path: binPath(project.id),
        prepare: fillBin,
        open: async (page) => {
          await button(page, /^Delete for Good: VM/).click()
          return page.getByRole('alertdialog')
        },
      },
      {
        name: 'a bin to empty',
        who: 'owner',
        path: binPath(project.id),
        prepare: fillBin,
        open: async (page) => {
          await button(page, 'Empty Bin').click()
          return page.getByRole('alertdialog')
        },
      },
      { name: 'the deleted projects', who: 'owner', path: '/projects', prepare: fillProjectBin },
      {
        name: 'a bin of projects to empty',
        who: 'owner',
        path: '/projects',
        prepare: fillProjectBin,
        open: async (page) => {
          await button(page, 'Empty Bin').click()
          return page.getByRole('alertdialog')
        },
      },
      over('dialog', 'a member to invite', membersPath(project.id), async (page) => {
        await button(page, 'Invite Member').click()
        await page.getByLabel('Email address').fill(long)
      }),
      over('dialog', 'the role of a member', membersPath(project.id), (page) =>
        button(page, /^Change role of payments/).click(),
      ),
      over('alertdialog', 'the removal of a member', membersPath(project.id), (page) =>
        button(page, /^Remove payments/).click(),
      ),
      over('alertdialog', 'the hand over of a project', membersPath(project.id), (page) =>
        button(page, /^Hand over project to payments/).click(),
      ),
      over('alertdialog', 'the end of an invitation', membersPath(project.id), (page) =>
        button(page, /^Withdraw invitation/).click(),
      ),
      menu('the menu of the user', '/templates', /^AL/),
      menu('the menu of a card', vmListPath(project.id), /^More actions/),
      menu('the menu of a failed VM', vmPath(failed), /^More actions/),
      {
        name: 'the menu of the projects',
        who: 'owner',
        path: '/templates',
        open: async (page) => {
          const drawer = button(page, 'Open menu')
          if (await drawer.isVisible()) await drawer.click()
          await button(page, /^Project: /).click()
          return page.getByRole('menu')
        },
      },
      over('dialog', 'the palette', vmPath(running), async (page) => {
        await button(page, 'Find...').click()
        await page.getByRole('combobox', { name: 'Find anything' }).fill(long.slice(0, 12))
        await expect(page.getByRole('dialog').getByRole('status')).toHaveText(/found/)
      }),
      select('/create', 'Project'),
      select('/create', 'Template'),
      select('/create', 'SSH Key'),
      select('/admin/templates', 'Default memory'),
      {
        name: 'the form of a template with a boot image',
        who: 'owner',
        path: '/admin/templates',
        open: async (page) => {
          await page.getByLabel('Name').fill(long)
          await page.getByLabel('Description').fill(`${long} ${arabic} ${emoji}`)
          await page.getByLabel('Image URL').fill(`https://${long.slice(0, 60)}.example.org/${long}.qcow2`)
          await expect(page.getByText('612 MB')).toBeVisible()
          return page.getByRole('region', { name: 'What VMs boot' })
        },
      },
      {
        name: 'the form of a template with a boot image that is refused',
        who: 'owner',
        path: '/admin/templates',
        open: async (page) => {
          await page.getByLabel('Name').fill(arabic)
          await page.getByLabel('Image URL').fill('https://images.example.org/fault-look.qcow2')
          await expect(page.getByRole('form').getByRole('alert')).toBeVisible()
          return page.getByRole('region', { name: 'What VMs boot' })
        },
      },
      over('dialog', 'the projects to manage', '/', manageProjects),
      over('alertdialog', 'the deletion of a project', '/', async (page) => {
        await manageProjects(page)
        await button(page, `Delete ${arabic}`).click()
      }),
      over('dialog', 'a new project that lacks its name', '/projects', async (page) => {
        await button(page, 'Create Project').click()
        await page.getByLabel('Project Name').press('Enter')
      }),
      over('dialog', 'a key that is none', '/ssh-keys', async (page) => {
        await button(page, 'Add SSH Key').click()
        await page.getByRole('dialog').getByLabel('Name').fill(long)
        await page.getByRole('dialog').getByLabel('Public key').fill('hello')
        await page.getByRole('dialog').getByRole('button', { name: 'Add SSH Key' }).click()
        await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
      }),
      over('alertdialog', 'the deletion of a key', '/ssh-keys', (page) =>
        button(page, `Delete ${long}`).click(),
      ),
      over('dialog', 'a token that lacks its projects', '/account', async (page) => {
        await button(page, 'Create Token').click()
        await page.getByRole('dialog').getByLabel('Name').fill(long)
        await page.getByRole('radio', { name: 'Only some' }).check()
      }),
      over('dialog', 'a token that is shown once', '/account', async (page) => {
        await button(page, 'Create Token').click()
        await page.getByRole('dialog').getByLabel('Name').fill(arabic)
        await page.getByRole('dialog').getByRole('button', { name: 'Create Token' }).click()
        await expect(page.getByRole('dialog', { name: 'API Token Created' })).toBeVisible()
      }),
      over('dialog', 'the deletion of an account', '/account', async (page) => {
        await button(page, 'Delete Account').click()
        await expect(page.getByRole('dialog').getByText(/is\s+deleted:/)).toBeVisible()
      }),
      over('alertdialog', 'the end of a token', '/account', (page) => button(page, `Revoke ${long}`).click()),
      lookInto('the console', consolePath(running)),
      lookInto('the console of a stopped VM', consolePath(stopped)),
      lookInto('the console in its own window, searched', `${consolePath(running)}/window`, async (page) => {
        await page.keyboard.press('Control+Shift+F')
        await page.getByRole('searchbox', { name: 'Search the console' }).fill(long)
      }),
      over('dialog', 'the command for a shell, copied', vmPath(running), async (page) => {
        await button(page, 'SSH Connect').click()
        await page.getByText('Copy files and reach ports').click()
        // The page below has such a button too.
        await page.getByRole('dialog').getByRole('button', { name: 'Copy SSH connection string' }).click()
        await expect(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
      }),
      {
        name: 'all there is to know of a snapshot',
        who: 'owner',
        path: snapshotListPath(project.id),
        open: async (page) => {
          await page.getByRole('article', { name: long }).getByRole('heading').getByRole('link').click()
          return page.getByRole('region', { name: 'Details' })
        },
      },
      {
        name: 'all there is to know of a disk snapshot',
        who: 'owner',
        path: diskSnapshotListPath(project.id),
        open: async (page) => {
          await page.getByRole('article', { name: long }).getByRole('heading').getByRole('link').click()
          return page.getByRole('region', { name: 'Details' })
        },
      },
      {
        name: 'all there is to know of a disk',
        who: 'owner',
        path: diskListPath(project.id),
        open: async (page) => {
          await page.getByRole('article', { name: long }).getByRole('heading').getByRole('link').click()
          await expect(page.getByRole('link', { name: emoji })).toBeVisible()
          return page.getByRole('region', { name: 'Details' })
        },
      },
      over('dialog', 'a disk that is edited', diskListPath(project.id), async (page) => {
        await page.getByRole('article', { name: long }).getByRole('heading').getByRole('link').click()
        await button(page, 'Edit').click()
      }),
      over('alertdialog', 'the restore of a VM', snapshotListPath(project.id), (page) =>
        button(page, `Restore VM from ${long}`).click(),
      ),
      over('alertdialog', 'the deletion of a snapshot', snapshotListPath(project.id), (page) =>
        button(page, `Delete ${long}`).click(),
      ),
      over(
        'dialog',
        'a disk of a snapshot that lacks its name',
        diskSnapshotListPath(project.id),
        async (page) => {
          await button(page, `Create Disk from ${long}`).click()
          await page.getByLabel('Disk Name').press('Enter')
        },
      ),
      over('alertdialog', 'the deletion of a disk snapshot', diskSnapshotListPath(project.id), (page) =>
        button(page, `Delete ${long}`).click(),
      ),
      select(snapshotCreatePath(project.id), 'VM'),
      select(diskSnapshotCreatePath(project.id), 'Select Disk'),
      over(
        'alertdialog',
        'a disk snapshot that is not created',
        diskSnapshotCreatePath(project.id),
        async (page) => {
          await choose(page, 'Select Disk', long)
          await page.getByLabel('Snapshot Name').fill(long)
          await page.getByLabel('Snapshot Name').press('Enter')
        },
      ),
      over('dialog', 'a VM from a disk that lacks its name', diskListPath(project.id), async (page) => {
        await page.getByRole('main').getByRole('button', { name: 'Create VM' }).click()
        await page.getByLabel('VM Name').fill('')
      }),
      {
        name: 'the VMs for a disk',
        who: 'owner',
        path: diskListPath(project.id),
        open: async (page) => {
          await button(page, 'Attach').click()
          await page.getByRole('combobox', { name: 'VM' }).click()
          return page.getByRole('listbox')
        },
      },
      over('dialog', 'the form that puts a disk on a VM', diskListPath(project.id), (page) =>
        button(page, 'Attach').click(),
      ),
      over('alertdialog', 'the deletion of a data disk', diskListPath(project.id), (page) =>
        button(page, `Delete ${long}`).click(),
      ),
      select(diskListPath(project.id), 'Source', 'the sources to filter disks by'),
      select(diskCreatePath(project.id), 'Source'),
      {
        name: 'the choices of a snapshot',
        who: 'owner',
        path: `${diskCreatePath(project.id)}?snapshot=${encodeURIComponent(long.slice(0, 8))}`,
        open: async (page) => {
          await page.getByRole('combobox', { name: 'Snapshot Name' }).click()
          return page.getByRole('listbox')
        },
      },
      over('alertdialog', 'the deletion of a VM', vmPath(running), (page) =>
        fromMenu(page, /^More actions/, 'Delete VM'),
      ),
      {
        name: 'the create form with disks and a complaint',
        who: 'owner',
        path: '/create',
        open: async (page) => {
          await answerDisks(page)
          await page.reload()
          for (const _ of [1, 2]) await button(page, 'Add Disk').click()
          await page.getByRole('checkbox', { name: 'Persistent storage' }).uncheck()
          await page.getByLabel('Name', { exact: true }).press('Enter')
          await expect(page.getByRole('region', { name: 'Notifications' }).getByRole('alert')).toBeVisible()
          return page.getByRole('form')
        },
      },
      {
        name: 'the choices of a disk',
        who: 'owner',
        path: create,
        open: async (page) => {
          await answerDisks(page)
          await page.reload()
          await button(page, 'Add Disk').click()
          await page.getByRole('combobox', { name: 'Existing disk' }).click()
          return page.getByRole('listbox')
        },
      },
      over('alertdialog', 'the removal of a disk', create, async (page) => {
        await button(page, 'Add Disk').click()
        await button(page, 'Remove disk 1').click()
      }),
      // The answers they are given stay with the page, so nothing that needs others comes after them.
      {
        name: 'disks in every state',
        who: 'owner',
        path: diskListPath(project.id),
        open: async (page) => {
          await answer(page, diskApi.list, 200, disksInEveryState)
          await page.reload()
          return page.getByRole('article', { name: emoji })
        },
      },
      {
        name: 'pools in every state, one of them edited',
        who: 'owner',
        path: vmPoolListPath(project.id),
        open: async (page) => {
          await answer(page, vmPoolApi.list, 200, poolsInEveryState)
          await page.reload()
          await button(page, `Edit ${long}`).click()
          await page.getByLabel('Max size').fill('1')
          return page.getByRole('form')
        },
      },
      {
        name: 'pools of which some are selected',
        who: 'owner',
        path: vmPoolListPath(project.id),
        open: async (page) => {
          await answer(page, vmPoolApi.list, 200, poolsInEveryState)
          await page.reload()
          await page.getByRole('button', { name: 'Select', exact: true }).click()
          await page.getByRole('checkbox', { name: `Select ${long}` }).check()
          return page.getByRole('region', { name: 'Selection' })
        },
      },
      over('alertdialog', 'the deletion of a pool', vmPoolListPath(project.id), async (page) => {
        await answer(page, vmPoolApi.list, 200, poolsInEveryState)
        await page.reload()
        await button(page, `Delete ${long}`).click()
      }),
      {
        name: 'the page of a pool',
        who: 'owner',
        path: vmPoolPath({ project_id: project.id, id: 'some' }),
        prepare: async (page) => {
          await answer(page, vmPoolApi.get, 200, { ...scalingPool, project_id: project.id, vms: [running] })
          await answer(page, vmPoolApi.history, 200, history())
        },
        open: async (page) => {
          await expect(page.getByRole('img', { name: /^CPU load/ }).locator('canvas')).toBeVisible()
          return page.getByRole('table')
        },
      },
      over(
        'dialog',
        'a roll-out of a pool that is paused',
        vmPoolPath({ project_id: project.id, id: 'some' }),
        async (page) => {
          const rolling = {
            ...scalingPool,
            status: 'error' as const,
            roll_out: { revision: 2, state: 'paused' as const, message: long, renewed_vms: 0, total_vms: 1 },
          }
          await answer(page, vmPoolApi.get, 200, {
            ...rolling,
            project_id: project.id,
            vms: [running],
            revisions: [{ vm_id: running.id, revision: 1 }],
          })
          await answer(page, vmPoolApi.history, 200, history())
          await page.reload()
          await button(page, 'Roll Out Changes').click()
        },
      ),
      {
        name: 'sets in every state, one of them edited',
        who: 'owner',
        path: vmSetListPath(project.id),
        open: async (page) => {
          await answer(page, vmSetApi.list, 200, setsInEveryState)
          await page.reload()
          await button(page, `Edit ${arabic}`).click()
          await page.getByLabel('Number of replicas').fill('21')
          return page.getByRole('form')
        },
      },
      {
        name: 'the page of a set',
        who: 'owner',
        path: vmSetPath({ project_id: project.id, id: 'some' }),
        prepare: async (page) => {
          await answer(page, vmSetApi.get, 200, { ...brokenSet, project_id: project.id, vms: [running] })
          await answer(page, vmSetApi.history, 200, history())
        },
        open: async (page) => page.getByRole('region', { name: 'Information' }),
      },
      over('alertdialog', 'the detachment of a disk', diskListPath(project.id), async (page) => {
        await answer(page, diskApi.list, 200, disksInEveryState)
        await page.reload()
        await button(page, 'Detach').click()
      }),
      {
        name: 'the closed sign-up',
        who: 'nobody',
        path: '/signup',
        // The server writes its policy into the page.
        prepare: async (page) => {
          await page.route('/signup', async (route) => {
            const served = await route.fetch()
            const body = (await served.text()).replace(/(policy.{2,16}?)open/, '$1closed')
            await route.fulfill({ response: served, body })
          })
        },
      },
      {
        name: 'templates with images in every state',
        who: 'owner',
        path: '/templates',
        open: async (page) => {
          await answer(page, templateApi.list, 200, templatesInEveryState)
          await page.reload()
          return page.getByRole('article', { name: arabic })
        },
      },
      {
        name: 'the create form with a template whose image failed',
        who: 'owner',
        path: `/create?template=${emoji}`,
        open: async (page) => {
          await expect(page.getByText('The image could not be prepared')).toBeVisible()
          return page.getByRole('form')
        },
      },
      // At the end: it has no event stream from then on.
      {
        name: 'a page that lost its server',
        who: 'owner',
        path: snapshotCreatePath(project.id),
        prepare: withoutStream,
        open: async (page) =>
          page.getByRole('status').filter({ hasText: 'Connection to the server lost at' }),
      },
    ],
  }
}

/** Of a VM and of a disk, one that is full of words and one that is made of it; all are ready then. */
async function makeSnapshots(call: Call, vm: Vm): Promise<void> {
  const params = { projectId: vm.project_id }
  const described = { description: `${long} ${arabic} ${emoji}`.repeat(4), retention_days: 30 }
  for (const name of [arabic, long]) {
    await call(vmSnapshotApi.create, {
      params: { ...params, vmId: vm.id },
      body: { ...described, name, snapshot_type: 'full' },
    })
  }
  const disk = await call(diskApi.create, { params, body: { name: long, size: '1Gi', source: 'EMPTY' } })
  const settled = async (list: () => Promise<readonly { status: string }[]>) =>
    expect
      .poll(async () => (await list()).every(({ status }) => ['ready', 'available'].includes(status)), often)
      .toBe(true)
  await settled(() => call(diskApi.list, { params, query: {} }))
  for (const name of [emoji, long]) {
    await call(diskSnapshotApi.create, {
      params,
      body: { ...described, name, disk_id: disk.id, snapshot_type: 'incremental' },
    })
    await settled(() => call(diskSnapshotApi.list, { params, query: {} }))
  }
  await settled(() => call(vmSnapshotApi.list, { params, query: {} }))
}

const bootImage = { image_url: `https://images.example.org/${long}/${long}.qcow2` }

const templatesInEveryState = [
  makeTemplate(long, { description: long, ...bootImage, ...imageIn('absent') }),
  makeTemplate(arabic, {
    ...bootImage,
    ...imageIn('coming', { progress: 40, message: `Fetching ${long}.` }),
  }),
  makeTemplate('begun', { ...imageIn('coming'), has_start_script: true }),
  makeTemplate(emoji, imageIn('failed', { message: `The server at ${long}.example.org answered 404.` })),
  makeTemplate('ready', { ...bootImage, default_cpu: 16, default_memory_mb: 16_384 }),
]

const disksInEveryState = [
  makeDisk(long, 'attached', { vm_id: 'none', vm_name: long, source: 'snapshot' }),
  makeDisk(arabic, 'creating', { source: 'image', progress: 0.4 }),
  makeDisk('failed', 'failed', { status_message: `The server at ${long}.example.org answered 404.` }),
  makeDisk('broken', 'error', { vm_id: 'none', vm_name: arabic }),
  makeDisk('leaving', 'deleting'),
  makeDisk(emoji, 'available', {
    description: `${long} ${arabic}`,
    source: 'image',
    image_url: `https://example.org/${long}.qcow2`,
    image_sha256: 'ab'.repeat(32),
  }),
]

const scalingPool = makeVmPool(long, {
  status: 'scaling',
  status_message: `Waiting for a snapshot of "${long}".`,
  description: `${long} ${arabic} ${emoji}`,
  template_name: long,
  ssh_key_name: long,
  current_size: 1,
  desired_size: 1000,
  max_size: 1000,
  disks: [{ name: long, size: '10Gi', source: 'EMPTY' }],
})

const poolsInEveryState = [
  scalingPool,
  makeVmPool(arabic, { current_size: 4, desired_size: 2, max_size: 3, min_size: 0 }),
  makeVmPool(emoji, { status: 'error', current_size: 0, desired_size: 2 }),
]

const brokenSet = makeVmSet(long, {
  status: 'error',
  status_message: `The image of ${long} could not be fetched.`,
  replicas: 20,
})

const setsInEveryState = [
  brokenSet,
  makeVmSet(arabic, { status: 'creating', replicas: 20, vm_stats: { total_vms: 9, running_vms: 3 } }),
]

/** What happened within the last minutes. */
const history = (): CallOutput<typeof vmPoolApi.history> => {
  const at = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString()
  return {
    samples: [120, 60, 0].map((seconds) => ({
      at: at(seconds),
      cpu: seconds / 2 + 20,
      current_size: 1,
      desired_size: 1000,
    })),
    events: [1, 90_000].map((seconds) => ({
      id: String(seconds),
      at: at(seconds),
      kind: 'member_replaced' as const,
      message: `"${long}" is replaced. It did not come up.`,
      from_size: 999,
      to_size: 1000,
    })),
    policy: scalingDefaults,
    verdict: `CPU 82 % over 15 s, above 75 %. Since the last step 7 s of 120 s have passed.`,
  }
}

const answerDisks = (page: Page) =>
  answer(
    page,
    diskApi.list,
    200,
    [long, arabic, emoji].map((name) => makeDisk(name)),
  )

const inBin = {
  project_id: 'p',
  deleted_at: '2026-11-20T10:00:00.000Z',
  deleted_by: { id: 'a', name: 'Ada Lovelace' },
  delete_at: '2026-11-27T10:00:00.000Z',
  vms: [],
  disks: [],
  attached_disks: 0,
  ended_shares: 0,
  bytes: 0,
  has_memory: null,
}

/** Something of each kind, at times that do not change. */
const fillProjectBin = async (page: Page): Promise<void> => {
  const { deleted_at, deleted_by, delete_at } = inBin
  const times = { deleted_at, deleted_by, delete_at }
  const none = { vms: 0, running_vms: 0, vm_pools: 0, vm_sets: 0, disks: 0, snapshots: 0, bin_items: 0 }
  const projects: BinProject[] = [
    { ...times, ...none, id: '1', name: long, vms: 30, running_vms: 23, vm_pools: 1, disks: 7, bin_items: 2 },
    { ...times, ...none, id: '2', name: arabic, deleted_by: null },
  ]
  await answer(page, projectBinApi.list, 200, projects)
}

const fillBin = async (page: Page): Promise<void> => {
  const disks = ['state', 'ledger', arabic, emoji].map((name) => ({ id: name, name }))
  const items: BinItem[] = [
    {
      ...inBin,
      id: '1',
      kind: 'vm',
      name: long,
      disks,
      ended_shares: 2,
      has_memory: true,
      bytes: 40 * 1024 ** 3,
    },
    { ...inBin, id: '2', kind: 'vm', name: 'web', attached_disks: 1, has_memory: false },
    { ...inBin, id: '3', kind: 'disk', name: arabic, deleted_by: null, bytes: 10 * 1024 ** 3 },
    { ...inBin, id: '4', kind: 'vm_snapshot', name: emoji, bytes: 1024 ** 2 },
    {
      ...inBin,
      id: '6',
      kind: 'vm_pool',
      name: 'shop',
      vms: [
        { id: '7', name: 'shop-1' },
        { id: '8', name: 'shop-2' },
      ],
    },
    { ...inBin, id: '5', kind: 'disk_snapshot', name: 'monday', bytes: 1024 ** 3 },
  ]
  await answer(page, binApi.list, 200, items)
}
