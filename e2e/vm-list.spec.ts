import type { Page } from '@playwright/test'
import { type Vm, vmApi } from '@slipway/contract'
import { copied } from './clipboard.ts'
import { expect, test } from './fixtures.ts'
import { answer, withoutStream } from './network.ts'
import { vmListPath, vmPath } from './paths.ts'
import { toasts, trySignIn } from './sentences.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const statusOf = (page: Page, name: string, word: string) =>
  cardOf(page, name).getByText(new RegExp(`^${word}(\\d+:\\d\\d)?$`))
const more = async (page: Page, { name }: Pick<Vm, 'name'>, entry: string) => {
  await page.getByRole('button', { name: `More actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

test.describe('the list that changes', () => {
  test('says that a menu could not be loaded, and opens it when the server is back', async ({
    page,
    context,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    // Before anything is loaded in advance.
    await page.goto(vmListPath(project.id))
    const button = page.getByRole('button', { name: `More actions for ${vm.name}` })
    await expect(button).toBeVisible()
    await context.setOffline(true)
    await button.click()
    await expect(toasts(page).getByText('This part of the console could not be loaded.')).toBeVisible()
    await expect(cardOf(page, vm.name)).toBeVisible()
    const select = page.getByRole('button', { name: 'Select', exact: true })
    await select.click()
    await expect(select).toBeVisible()
    await context.setOffline(false)
    // A browser that does not ask again for a file that failed loads the whole page anew.
    const entry = page.getByRole('menuitem', { name: 'Delete VM' })
    await expect(async () => {
      if (!(await entry.isVisible())) await button.click({ timeout: 1_000 })
      await entry.click({ timeout: 1_000 })
    }).toPass()
    await expect(page.getByRole('alertdialog', { name: 'Delete VM' })).toBeVisible()
  })
})

test.describe('a card', () => {
  test.describe('for a German', () => {
    test.use({ locale: 'de-DE' })

    test('writes the date of its VM as the browser does', async ({ page, project, makeVm }) => {
      const vm = { ...(await makeVm('engine')), created_at: '2026-11-20T23:30:00.000Z' }
      await withoutStream(page)
      await answer(page, vmApi.list, 200, [vm])
      await page.goto(vmListPath(project.id))
      await expect(cardOf(page, vm.name).getByRole('definition').last()).toHaveText(
        '20. Nov. 2026, 23:30 UTC',
      )
    })
  })

  test('opens the SSH commands', async ({ page, project, makeVm, sshKey }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmListPath(project.id))
    await more(page, vm, 'SSH Connect')
    const dialog = page.getByRole('dialog', { name: 'SSH Connect' })
    await expect(dialog).toContainText(`ssh root@${vm.ip_address}`)
    await expect(dialog).toContainText(`The key ${sshKey.name} is installed.`)
    await expect(dialog.getByText(/^ssh engine\.engines@127\.0\.0\.1 -p \d+$/)).toBeVisible()
    await expect(dialog.getByText(/^SHA256:/)).toBeVisible()
    await dialog.getByText('Copy files and reach ports').click()
    await dialog.getByRole('button', { name: 'Copy the command: Look through its files' }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('Copied to clipboard!')
    expect(await copied(page)).toBe(`sftp root@${vm.ip_address}`)
  })

  test('leads whoever is elsewhere through the gateway, by the name of its VM', async ({
    page,
    project,
    server,
    user,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    // An address of this machine by which only somebody elsewhere would call it.
    const elsewhere = server.url.replace('127.0.0.1', '0.0.0.0')
    await page.goto(`${elsewhere}/signin`)
    await trySignIn(page, user)
    await expect(page).not.toHaveURL(/signin/)
    await page.goto(elsewhere + vmListPath(project.id))
    await page.getByRole('button', { name: 'Copy SSH connection string' }).click()
    const command = /^ssh engine\.engines@0\.0\.0\.0 -p \d+$/
    await expect(toasts(page).getByRole('status')).toHaveText('SSH connection string copied to clipboard!')
    await more(page, vm, 'SSH Connect')
    const dialog = page.getByRole('dialog', { name: 'SSH Connect' })
    await expect(dialog.getByRole('code').nth(0)).toHaveText(command)
    await expect(dialog.getByRole('code').nth(1)).toHaveText(`ssh root@${vm.ip_address}`)
    await expect(dialog.getByText("On the server's own machine only")).toBeVisible()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.goto(elsewhere + vmPath(vm))
    await expect(page.getByRole('code').first()).toHaveText(command)
  })
})

test('what one page does, every other page shows without asking', async ({
  page,
  context,
  project,
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  const list = await context.newPage()
  await list.goto(vmListPath(project.id))
  await expect(statusOf(list, vm.name, 'Running')).toBeVisible()
  // From here on only the event stream can tell.
  await answer(list, vmApi.list, null)

  await page.goto(vmPath(vm))
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(statusOf(list, vm.name, 'Stopped')).toBeVisible()
  const other = await makeVm('loom')
  await expect(cardOf(list, other.name)).toBeVisible()
  await more(page, vm, 'Delete VM')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete VM' }).click()
  await expect(cardOf(list, vm.name)).toHaveCount(0)
})
