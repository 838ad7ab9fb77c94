import { sshKeyApi, vmApi, vmSetApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { vmListPath, vmPath } from './paths.ts'
import { newPublicKey } from './person.ts'

test.describe('a VM is changed', () => {
  test('in its dialog, and every page shows it at once', async ({ page, project, makeVm }) => {
    const vm = await makeVm('loom', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit VM' })
    const save = dialog.getByRole('button', { name: 'Save' })
    await expect(save).toBeDisabled()
    await expect(dialog.getByRole('status')).toHaveText('Nothing has changed.')
    await dialog.getByLabel('VM Name').fill('shop')
    await dialog.getByLabel('CPUs').fill('0')
    await expect(dialog.getByRole('status')).toHaveText('Enter a whole number of processors from 1 to 64')
    await dialog.getByLabel('CPUs').fill('2')
    await dialog.getByLabel('Tags').fill('Prod, team/red')
    await dialog.getByLabel('Note').fill('Ask Ada before a restart.')
    await dialog.getByLabel('Protect against deletion').check()
    await expectAccessible(page)
    await save.click()
    await expect(page.getByText('VM "shop" was changed. It gets 2 cores soon.')).toBeVisible()

    await expect(page.getByRole('heading', { level: 1 })).toHaveText('shop')
    await expect(page.getByText('Ask Ada before a restart.')).toBeVisible()
    // Its guest takes them while it runs.
    await expect(page.getByText('2 cores', { exact: true })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'More actions for shop' }).click()
    const deletion = page.getByRole('menuitem', { name: 'Delete VM' })
    await expect(deletion).toBeDisabled()
    await expect(deletion).toHaveText(/This VM is protected against deletion\./)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'More actions for shop' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await dialog.getByLabel('CPUs').fill('1')
    await save.click()
    await expect(page.getByText('VM "shop" was changed. It gets 1 core at its next start.')).toBeVisible()
    await expect(page.getByText('2 cores, 1 core at the next start')).toBeVisible()
    await page.getByRole('button', { name: 'Restart', exact: true }).click()
    await expect(page.getByText('1 core', { exact: true })).toBeVisible()
    await page.getByRole('link', { name: 'team/red' }).click()
    await expect(page).toHaveURL(/\/vms\?tag=team%2Fred$/)
    await expect(page.getByRole('article', { name: 'shop' })).toContainText('prod')
    await expect(page.getByRole('combobox', { name: 'Tag' })).toHaveText('team/red')
    await page.goto(`${vmListPath(project.id)}?search=ada`)
    await expect(page.getByRole('article', { name: 'shop' })).toBeVisible()
  })

  test('gets another SSH key, now or at its next start', async ({ page, project, makeVm, sshKey, call }) => {
    const desk = await call(sshKeyApi.create, {
      body: { key_name: 'desk', ssh_public_key: newPublicKey() },
    })
    const running = await makeVm('keyed', 'running')
    await page.goto(vmPath(running))
    const edit = async (name: string) => {
      await page.getByRole('button', { name: `More actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit VM' })
      await expect(dialog.getByRole('combobox', { name: 'SSH Key' })).toContainText(sshKey.name)
      await dialog.getByRole('combobox', { name: 'SSH Key' }).click()
      await page.getByRole('option', { name: 'desk' }).click()
      return dialog
    }
    const dialog = await edit('keyed')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('VM "keyed" was changed. Its guest is getting the SSH key.')).toBeVisible()
    await expect(page.getByText('Access is by the key desk only.')).toBeVisible()
    await expect(page.getByText('being installed')).toBeHidden()

    const params = { projectId: project.id, vmId: running.id }
    await call(vmApi.update, { params, body: { ssh_key_id: sshKey.id } })
    await call(vmApi.stop, { params, body: { force: true } })
    await expect(page.getByRole('button', { name: 'Start', exact: true })).toBeEnabled()
    await (await edit('keyed')).getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('desk, from the next start')).toBeVisible()
    await expect(page.getByText('The key is desk. The guest gets the key when it next starts.')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await expect(page.getByText('desk, from the next start')).toBeHidden()
    await call(sshKeyApi.delete, { params: { sshKeyId: desk.id } })
  })

  test('gets a larger root disk while it runs', { tag: '@cluster' }, async ({ page, makeVm }) => {
    const vm = await makeVm('roomy', 'running')
    await page.goto(vmPath(vm))
    const edit = async () => {
      await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
      return page.getByRole('dialog', { name: 'Edit VM' })
    }
    let dialog = await edit()
    const size = () => dialog.getByLabel('Root disk (GB)')
    await size().fill('large')
    await expect(dialog.getByRole('status')).toHaveText(
      'Enter a whole number of GB from 1 to 1024 for the root disk',
    )
    await size().fill('30')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(
      page.getByText('VM "roomy" was changed. Its root disk is being enlarged to 30Gi.'),
    ).toBeVisible()
    await expect(page.getByText('30Gi', { exact: true })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Activity' })).toContainText(
      'The root disk of VM roomy has a size of 30Gi',
    )
    dialog = await edit()
    await size().fill('20')
    await expect(dialog.getByRole('status')).toHaveText('Disks can only be enlarged. Enter at least 30Gi.')
  })

  test('is created with a larger root disk than its template has', async ({
    page,
    project,
    makeVm,
    sshKey,
  }) => {
    const vm = await makeVm('roomy', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await expect(page.getByLabel('Root disk (GB)')).toHaveAttribute('placeholder', '4')
    await page.keyboard.press('Escape')

    await page.goto(`/projects/${project.id}/vms/create?template=starter`)
    await page.getByLabel('Name', { exact: true }).fill('wide')
    await expect(page.getByText('Left empty, it has the 4 GB of the template.')).toBeVisible()
    await page.getByLabel('Root disk (GB)').fill('2')
    await expect(page.getByText(sshKey.name).first()).toBeVisible()
    const create = page.getByRole('button', { name: 'Create VM' })
    await create.click()
    await expect(
      page.getByText('The root disk of this template has 4 GB. Enter at least 4,').first(),
    ).toBeVisible()
    await page.getByLabel('Root disk (GB)').fill('50')
    await expectAccessible(page)
    await create.click()
    await expect(page.getByText('VM "wide" created successfully')).toBeVisible()
    await page.getByRole('link', { name: 'wide' }).first().click()
    await expect(page.getByText('50Gi', { exact: true })).toBeVisible()
  })

  test('of a set only where it does not come from there', async ({ page, project, sshKey, call }) => {
    const params = { projectId: project.id }
    const body = { name: 'trio', template_id: 'starter', ssh_key_id: sshKey.id, replicas: 1 }
    await call(vmSetApi.create, { params, body })
    await expect.poll(async () => (await call(vmApi.list, { params })).length).toBe(1)
    await page.goto(vmListPath(project.id))
    await page.getByRole('button', { name: 'More actions for trio-1' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit VM' })
    await expect(dialog).toContainText('come from the pool or set that it is part of.')
    await expect(dialog.getByLabel('VM Name')).toBeHidden()
    await dialog.getByLabel('Tags').fill('odd')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('article', { name: 'trio-1' })).toContainText('odd')
  })
})
