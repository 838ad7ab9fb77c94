import type { APIRequest, Page } from '@playwright/test'
import {
  accountApi,
  diskApi,
  hostApi,
  projectApi,
  templateApi,
  templateTexts,
  totpApi,
  totpTexts,
} from '@slipway/contract'
import { Secret, TOTP } from 'otpauth'
import { expectAccessible } from './a11y.ts'
import { test as base, callWith, expect, join, newPerson } from './fixtures.ts'
import type { Person } from './person.ts'
import { type Server, startServer } from './server.ts'

/** A server with an operator. */
const boss = newPerson()
let isEnrolled = false
const test = base.extend<{ operator: Person }, { desk: Server }>({
  desk: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => {
      const server = await startServer({ SLIPWAY_SIMULATED_SPEED: '4', SLIPWAY_ADMINS: boss.email })
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  server: async ({ desk }, use) => use(desk),
  operator: async ({ call, server }, use) => {
    const { email, password } = boss
    // The server is that of all tests of this file.
    if (isEnrolled) await call(accountApi.signIn, { body: { email, password } })
    else await join(call, server, boss)
    isEnrolled = true
    await use(boss)
  },
})

/** Somebody else with an account, a project and a download that does not end. */
async function newNeighbour(server: Server, request: APIRequest, firstName: string) {
  const context = await request.newContext({ baseURL: server.url })
  const call = callWith(context)
  const person = { ...newPerson(), firstName, lastName: 'Byron' }
  await join(call, server, person)
  const { id } = await call(accountApi.me, {})
  const project = await call(projectApi.create, { body: { name: 'Analytical' } })
  return { person, call, context, id, project }
}

/** Goes on with Tab until something has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, role: 'link' | 'button' | 'searchbox' | 'textbox', name: string | RegExp) {
  const target = page.getByRole(role, { name }).first()
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 80; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return target
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${role} ${name}`)
}

/** Says yes to a question, whose answers begin with Cancel. */
async function confirm(page: Page, title: string) {
  const question = page.getByRole('alertdialog', { name: title })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(question).toHaveCount(0)
}

test("an operator's day, by keyboard", { tag: '@full' }, async ({
  page,
  operator: _,
  call,
  server,
  playwright,
}) => {
  test.slow()
  const neighbour = await newNeighbour(server, playwright.request, 'Augusta')
  const press = async (role: 'link' | 'button', name: string | RegExp) => {
    await tabTo(page, role, name)
    await page.keyboard.press('Enter')
  }
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })

  await test.step('finds an account', async () => {
    await page.goto('/')
    await press('link', 'Accounts')
    await expect(heading('Accounts')).toBeVisible()
    await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2)
    await tabTo(page, 'searchbox', 'Search accounts')
    await page.keyboard.type('AUGUSTA')
    await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1)
    await expectAccessible(page)
    await press('link', 'Augusta Byron')
    await expect(heading('Augusta Byron')).toBeVisible()
    await expect(page.getByText(neighbour.person.email)).toBeVisible()
    await expectAccessible(page)
  })

  await test.step('lowers a limit, which holds at once', async () => {
    await tabTo(page, 'textbox', 'Disk space (GB)')
    await page.keyboard.type('many')
    await expect(page.getByRole('alert')).toHaveText('Enter a number from 0, none, or nothing')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('1')
    await press('button', 'Save limits')
    await expect(page.getByText('The limits are set')).toBeVisible()
    await expect(page.getByText('0 GB of 1 GB')).toBeVisible()
    const body = { name: 'large', size: '2Gi', source: 'EMPTY' } as const
    const params = { projectId: neighbour.project.id }
    await expect(neighbour.call(diskApi.create, { params, body })).rejects.toThrow(
      /uses 0 GB of its 1 GB of disk space, and 2 GB more is requested/,
    )
  })

  await test.step('cancels an import that is stuck', async () => {
    const params = { projectId: neighbour.project.id }
    const body = {
      name: 'import',
      size: '1Gi',
      source: 'HTTP',
      image_url: 'https://images.example.org/fault-stuck.img',
    } as const
    await neighbour.call(diskApi.create, { params, body })
    await press('link', 'Operations')
    await expect(page.getByRole('heading', { name: 'Create disk import' })).toBeVisible()
    await expectAccessible(page)
    await press('button', 'Cancel: Create disk import')
    const question = page.getByRole('alertdialog', { name: 'Cancel operation' })
    await expect(question).toBeVisible()
    await expectAccessible(page)
    await press('button', 'Cancel operation')
    await expect(page.getByText('Create disk "import" was cancelled')).toBeVisible()
    await expect(page.getByText('Nothing runs or waits now.')).toBeVisible()
  })

  await test.step('retires a template, and offers it again', async () => {
    const name = 'Laravel with PHP'
    const isOffered = async () =>
      (await neighbour.call(templateApi.list, {})).some((template) => template.name === name)
    await press('link', 'Catalogue')
    await expect(heading('Catalogue')).toBeVisible()
    await expectAccessible(page)
    await press('button', `Retire ${name}`)
    await confirm(page, 'Retire template')
    await expect(page.getByText('The template is retired')).toBeVisible()
    expect(await isOffered()).toBe(false)
    await press('button', `Offer again ${name}`)
    await confirm(page, 'Offer template again')
    await expect(page.getByText('The template is offered again')).toBeVisible()
    expect(await isOffered()).toBe(true)
  })

  await test.step('changes a template and deletes it', async () => {
    const created = await call(templateApi.create, {
      body: {
        ...{ name: 'Zig', description: 'Compiler', default_cpu: 1, default_memory_mb: 512 },
        start_script: '#!/bin/sh\necho Zig\n',
      },
    })
    await page.reload()
    await expect(page.getByText('1 core, 512 MB, start script. Used by 0 VMs')).toBeVisible()
    await expect(page.getByText('start script')).toHaveCount(1)
    await press('button', `Edit ${created.name}`)
    const dialog = page.getByRole('dialog', { name: 'Edit template' })
    await expect(dialog).toBeVisible()
    const script = dialog.getByLabel('Script', { exact: true })
    await expect(script).toHaveValue('#!/bin/sh\necho Zig\n')
    await expectAccessible(page)
    await script.fill('#cloud-config\npackages: [zig]\n')
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await expect(script).toHaveAccessibleDescription(templateTexts.scriptWithoutCloudInit)
    await script.fill('#!/bin/sh\necho Zig 2\n')
    await tabTo(page, 'textbox', 'Name')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Zig 2')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Template "Zig 2" was changed')).toBeVisible()
    const ofTemplate = { params: { templateId: created.id } }
    expect((await call(templateApi.startScript, ofTemplate)).script).toBe('#!/bin/sh\necho Zig 2\n')
    await press('button', 'Delete Zig 2')
    await confirm(page, 'Delete template')
    await expect(page.getByText('The template was deleted')).toBeVisible()
    const bin = page.getByRole('region', { name: 'Deleted templates' })
    await expect(bin.getByText('Zig 2', { exact: true })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Undo: restore template Zig 2' }).press('Enter')
    await expect(page.getByText('Restored template "Zig 2"')).toBeVisible()
    await expect(bin).toBeHidden()
    await press('button', 'Delete Zig 2')
    await confirm(page, 'Delete template')
    await expect(bin.getByText('Zig 2', { exact: true })).toBeVisible()
    await bin.getByRole('button', { name: 'Delete for Good: template Zig 2' }).press('Enter')
    await expect(page.getByRole('alertdialog', { name: 'Delete for good' })).toContainText(
      'Delete template "Zig 2" for good? This action cannot be undone.',
    )
    await confirm(page, 'Delete for good')
    await expect(page.getByText('Zig 2', { exact: true })).toHaveCount(0)
  })

  await test.step('reads how the reconcilers are', async () => {
    await press('link', 'Health')
    await expect(page.getByRole('heading', { name: 'disk', exact: true })).toBeVisible()
    await expect(page.getByText('Healthy')).toBeVisible()
    await expect(page.getByText('Disk full at this rate')).toBeVisible()
    await expect(page.getByText('Of these in bins')).toBeVisible()
    await expectAccessible(page)
  })

  await test.step('turns off the two-factor authentication of somebody who lost it', async () => {
    const { secret } = await neighbour.call(totpApi.begin, {})
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    await neighbour.call(totpApi.confirm, { body: { code } })
    await page.goto(`/admin/accounts/${neighbour.id}`)
    await expect(page.getByText(/^On since/)).toBeVisible()
    await press('button', 'Turn off')
    await confirm(page, 'Turn off two-factor authentication')
    await expect(page.getByText('Two-factor authentication is off')).toBeVisible()
    await expect(neighbour.call(accountApi.me, {})).rejects.toThrow(/401/)
    const { email, password } = neighbour.person
    expect(await neighbour.call(accountApi.signIn, { body: { email, password } })).toHaveProperty('user')
    const button = page.getByRole('button', { name: 'Turn off' })
    await expect(button).toHaveAccessibleDescription(totpTexts.notOn)
    await expectAccessible(page)
  })

  await test.step('disables the account, which ends its session', async () => {
    await page.goto(`/admin/accounts/${neighbour.id}`)
    await press('button', 'Disable account')
    await expect(page.getByRole('alertdialog', { name: 'Disable account' })).toBeVisible()
    await expectAccessible(page)
    await tabTo(page, 'button', 'Cancel')
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Disable account' })
    await confirm.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByText(/^Disabled since/)).toBeVisible()
    await expect(neighbour.call(accountApi.me, {})).rejects.toThrow(/401/)
    await expectAccessible(page)
    await press('button', 'Enable account')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Enable account' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByText('The account is enabled')).toBeVisible()
  })
  await neighbour.context.dispose()
})

test('a notice is seen by everybody at once, and goes when it is over', { tag: '@full' }, async ({
  page,
  operator: _,
  call,
  server,
  browser,
  playwright,
}) => {
  const neighbour = await newNeighbour(server, playwright.request, 'Grace')
  const storageState = await neighbour.context.storageState()
  const context = await browser.newContext({ baseURL: server.url, storageState })
  const theirs = await context.newPage()
  await theirs.goto('/ssh-keys')
  await expect(theirs.getByRole('heading', { level: 1 })).toBeVisible()

  await page.goto('/admin/health')
  const form = page.getByRole('form', { name: 'Notice' })
  await form.getByLabel('Text').fill('Down from 22:00 to 23:00 UTC')
  await form.getByRole('radio', { name: 'Warning' }).check()
  await form.getByRole('button', { name: 'Show to everybody' }).click()
  await expect(page.getByText('Everybody sees the notice')).toBeVisible()
  await expectAccessible(page)
  const shown = /^From the operator: Down from 22:00 to 23:00 UTC$/
  await expect(page.getByRole('main').getByText(shown)).toBeVisible()
  await expect(theirs.getByRole('main').getByText(shown)).toBeVisible()
  await expectAccessible(theirs)

  // Also for who is not signed in.
  await theirs.context().clearCookies()
  await theirs.goto('/signin')
  await expect(theirs.getByRole('main').getByText(shown)).toBeVisible()
  await expectAccessible(theirs)
  await form.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('The notice is removed')).toBeVisible()
  await expect(page.getByRole('main').getByText(shown)).toHaveCount(0)
  expect((await call(hostApi.get, {})).notice).toBeNull()
  await theirs.reload()
  await expect(theirs.getByRole('main').getByText(shown)).toHaveCount(0)
  await context.close()
  await neighbour.context.dispose()
})

test('whoever is no operator is told so, and sees no way there', async ({ page, user: _ }) => {
  for (const path of ['/admin/accounts', '/admin/operations', '/admin/health', '/admin/accounts/some']) {
    await page.goto(path)
    await expect(page.getByText(/Only administrators \(SLIPWAY_ADMINS\) can/)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Accounts', exact: true })).toHaveCount(
      path.endsWith('some') ? 1 : 0,
    )
  }
  await expectAccessible(page)
})
