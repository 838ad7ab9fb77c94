import type { Locator } from '@playwright/test'
import { diskApi } from '@slipway/contract'
import { expect, test } from './fixtures.ts'
import { answer } from './network.ts'
import { makeDisk } from './objects.ts'
import { newPublicKey } from './person.ts'

test('the whole main job is done by keyboard alone', { tag: '@full' }, async ({ page, person, server }) => {
  test.setTimeout(120_000)
  const { keyboard } = page
  const reach = async (target: Locator) => {
    await expect(target).toBeVisible()
    for (let tabs = 0; tabs < 80; tabs++) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await keyboard.press('Tab')
    }
    throw new Error(`The keyboard does not reach ${target}`)
  }
  const press = async (target: Locator, key = 'Enter') => {
    await reach(target)
    // What can be focused while it waits for something does nothing until then.
    await expect(target).toBeEnabled()
    await keyboard.press(key)
  }
  const write = async (target: Locator, text: string) => {
    await reach(target)
    await keyboard.type(text)
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const link = (name: string) => page.getByRole('link', { name, exact: true })

  await page.goto('/')
  await press(link('Sign Up').first())
  await write(page.getByLabel('First name'), person.firstName)
  await write(page.getByLabel('Last name'), person.lastName)
  await write(page.getByLabel('Email'), person.email)
  await write(page.getByLabel('Password', { exact: true }), person.password)
  await write(page.getByLabel('Confirm password'), person.password)
  await press(page.getByRole('checkbox', { name: 'I agree to' }), 'Space')
  await press(button('Sign Up'))
  await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
  await page.goto(await server.mailedLink(person.email, 'verify-email'))
  await press(page.getByRole('link', { name: 'Go to Sign In' }).or(button('Go to Sign In')))
  await write(page.getByLabel('Email'), person.email)
  await write(page.getByLabel('Password', { exact: true }), person.password)
  await press(button('Sign In'))

  await write(page.getByLabel('Project Name'), 'Engines')
  await press(button('Create Project'))
  await expect(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()

  await press(link('Templates'))
  // This server has no disks; rows for them are there already.
  await answer(page, diskApi.list, 200, [makeDisk('ledger'), makeDisk('journal')])
  await press(link('Use This Template: Starter Linux'))
  await write(page.getByLabel('Name', { exact: true }), 'engine')
  await press(link('Manage SSH Keys'))
  await press(button('Add SSH Key').last())
  const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
  await write(dialog.getByLabel('Name'), 'Laptop')
  await write(dialog.getByLabel('Public key'), newPublicKey())
  await press(dialog.getByRole('checkbox', { name: 'Use as default key' }), 'Space')
  await press(dialog.getByRole('button', { name: 'Add SSH Key' }))
  await expect(dialog).toBeHidden()
  await press(button('Back'))

  const template = page.getByRole('combobox', { name: 'Template' })
  await press(template)
  await expect(page.getByRole('option', { name: 'Starter Linux' })).toBeFocused()
  await keyboard.press('Enter')
  await expect(template).toBeFocused()
  await press(button('Add Disk'))
  await press(page.getByRole('combobox', { name: 'Existing disk' }))
  await expect(page.getByRole('option', { name: 'ledger' })).toBeFocused()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await press(button(/^Disk 1/))
  await expect(button(/^Disk 1/)).toContainText('journal')
  await press(button('Remove disk 1'))
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }))
  await expect(button('Add Disk')).toBeFocused()
  await press(page.getByRole('button', { name: 'Create VM' }))
  await expect(page).toHaveURL('/')

  await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'VMs' }))
  const card = page.getByRole('article', { name: 'engine' })
  await expect(card.getByText('Running', { exact: true })).toBeVisible()
  const more = button('More actions for engine')
  await press(more)
  await expect(page.getByRole('menuitem', { name: 'View Details' })).toBeFocused()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  const ssh = page.getByRole('dialog', { name: 'SSH Connect' })
  await expect(ssh).toContainText('ssh root@')
  await press(ssh.getByRole('button', { name: 'Copy SSH connection string' }))
  await expect(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
  await keyboard.press('Escape')
  await expect(ssh).toBeHidden()
  await expect(more).toBeFocused()

  await press(card.getByRole('button', { name: 'Stop', exact: true }))
  await expect(card.getByText('Stopped', { exact: true })).toBeVisible()
  await press(card.getByRole('button', { name: 'Start', exact: true }))
  await expect(card.getByText('Running', { exact: true })).toBeVisible()
  await press(more)
  await expect(page.getByRole('menuitem', { name: 'View Details' })).toBeFocused()
  await keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Delete VM' })).toBeFocused()
  await keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete VM' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await press(question.getByRole('button', { name: 'Delete VM' }))
  await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
  await press(button('Project: Engines'))
  await keyboard.type('Manage')
  await expect(page.getByRole('menuitem', { name: 'Manage Projects' })).toBeFocused()
  await keyboard.press('Enter')
  const manage = page.getByRole('dialog', { name: 'Manage Projects' })
  await write(manage.getByLabel('Project Name'), 'Looms')
  await press(manage.getByRole('button', { name: 'Create Project' }))
  // The dialog stays, over the dashboard of the new project.
  await expect(page).toHaveURL('/?dialog=manage-projects')
  await expect(manage.getByRole('listitem').filter({ hasText: 'Looms' })).toContainText('Active')
  await press(manage.getByRole('button', { name: 'Make active: Engines' }))
  await press(manage.getByRole('button', { name: 'Delete Looms' }))
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Delete Project' }))
  await expect(manage.getByText('Looms')).toHaveCount(0)
  // The question closes when its answer has been brought in; until then Escape is its own.
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await keyboard.press('Escape')
  await expect(manage).toBeHidden()
})
