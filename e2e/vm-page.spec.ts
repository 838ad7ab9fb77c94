import { vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { browseWithoutClipboard, copied } from './clipboard.ts'
import { expect, test } from './fixtures.ts'
import { answer } from './network.ts'
import {
  consolePath,
  diskListPath,
  diskSnapshotCreatePath,
  snapshotCreatePath,
  vmListPath,
  vmPath,
} from './paths.ts'
import { toasts } from './sentences.ts'
import { startServer } from './server.ts'

test.describe('the page of a VM', () => {
  test('shows the steps of the start as they happen, with the times the server saw', async ({
    page,
    makeVm,
  }) => {
    const vm = await makeVm('fault-flaky')
    await page.goto(vmPath(vm))
    await expect(page.getByRole('heading', { name: 'Starting up' })).toBeVisible()
    // The line has no height of its own, so it counts as hidden here.
    await expect(page.getByRole('progressbar', { name: `${vm.name}: ` })).toHaveAttribute(
      'aria-valuenow',
      /^\d+$/,
    )
    await expect(page.getByRole('listitem').filter({ hasText: 'Waiting for SSH, to come' })).toBeVisible()
    await expect(page.getByText('at the latest')).toBeVisible()
    await expect(page.getByRole('button', { name: 'SSH Connect', exact: true })).toBeDisabled()
    await expect(page.getByRole('heading', { name: 'Last start' })).toBeVisible()
    for (const step of ['Root disk cloned', 'Guest started', 'SSH responded']) {
      await expect(page.getByRole('listitem').filter({ hasText: step })).toHaveText(/, done.*\d/)
    }
    await expect(page.getByText('Running', { exact: true })).toBeVisible()
    await expect(page.locator('[aria-live=polite]').getByText(`${vm.name} is running`)).toBeAttached()
  })

  test('says why a VM failed and what to do', async ({ page, project, makeVm }) => {
    const full = await makeVm('fault-no-space', 'failed')
    const crashed = await makeVm('fault-crash', 'failed')
    await page.goto(vmListPath(project.id))
    await expect(page.getByRole('article', { name: full.name })).toContainText(
      /Why.*no disk space left.*delete this VM and create it again/,
    )
    await page.getByRole('link', { name: crashed.name }).click()
    const why = page.getByRole('main').getByRole('alert')
    await expect(why).toContainText(/^Failed since \w{3} \d/)
    await expect(why).toContainText(
      'The guest crashed while it was booting (simulated). Delete this VM and create it again.',
    )
    await expect(page.getByRole('listitem').filter({ hasText: ', failed' })).toHaveCount(1)
    const start = page.getByRole('button', { name: 'Start', exact: true })
    await expect(start).toBeDisabled()
    await expect(start).toHaveAccessibleDescription('VM cannot be started while it is failed')
    await expect(page.getByRole('paragraph').filter({ hasText: 'A failed VM has no address.' })).toBeVisible()
  })

  test('restarts, stops and starts', async ({ page, makeVm, sshKey, call }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmPath(vm))
    const facts = page.getByRole('region', { name: 'Facts' })
    const is = (word: string) => expect(facts.getByText(new RegExp(`^${word}(\\d+:\\d\\d)?$`))).toBeVisible()
    await is('Running')
    await expect(facts).toContainText(`SSH Key${sshKey.name}`)
    await page.getByRole('button', { name: 'Restart' }).click()
    // On its way it is too quick for a busy browser to show each status.
    const hasRestarted = async () => {
      const { status, status_since } = await call(vmApi.get, {
        params: { projectId: vm.project_id, vmId: vm.id },
      })
      return status === 'running' && status_since !== vm.status_since
    }
    await expect.poll(hasRestarted).toBe(true)
    await is('Running')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await is('Stopped')
    await expect(page.getByText('The VM is stopped. It has an address while it runs.')).toBeVisible()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await is('Running')
    await page.getByRole('button', { name: 'Copy ID' }).click()
    expect(await copied(page)).toBe(vm.id)
  })

  test('cuts off a guest that ignores the power button', async ({ page, makeVm }) => {
    const vm = await makeVm('fault-deaf', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(page.getByText('Waiting for the guest to power down')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Restart' })).toHaveAccessibleDescription(
      'VM cannot be restarted while it is stopping',
    )
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    await page.getByRole('menuitem', { name: 'Force stop' }).click()
    await expect(
      page.getByRole('region', { name: 'Facts' }).getByText('Stopped', { exact: true }),
    ).toBeVisible()
  })

  test('gives the command that opens a shell', async ({ page, makeVm, sshKey }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: 'SSH Connect', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'SSH Connect' })
    await expect(dialog).toContainText(`ssh root@${vm.ip_address}`)
    await expect(dialog).toContainText(`The key ${sshKey.name} is installed.`)
    await dialog.getByRole('button', { name: 'Copy SSH connection string' }).click()
    await expect(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
    expect(await copied(page)).toBe(`ssh root@${vm.ip_address}`)
    await expect(dialog).toBeVisible()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('button', { name: 'SSH Connect', exact: true })).toBeFocused()
  })

  test('lets the dialog copy where the browser has no clipboard for pages', async ({
    page,
    context,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    await browseWithoutClipboard(page)
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: 'SSH Connect', exact: true }).click()
    await page
      .getByRole('dialog', { name: 'SSH Connect' })
      .getByRole('button', { name: 'Copy SSH connection string' })
      .click()
    await expect(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
    const other = await context.newPage()
    await other.goto('/privacy')
    expect(await copied(other)).toBe(`ssh root@${vm.ip_address}`)
  })

  test('deletes a VM after a question', async ({ page, project, makeVm, call }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmPath(vm))
    const dialog = page.getByRole('alertdialog', { name: 'Delete VM' })
    const ask = async () => {
      await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
      await page.getByRole('menuitem', { name: 'Delete VM' }).click()
      await expect(dialog).toContainText(
        'Are you sure you want to delete VM "engine"? Attached disks are kept. This action cannot be undone.',
      )
    }
    await ask()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await ask()
    const { end } = await answer(page, vmApi.delete, 500)
    await dialog.getByRole('button', { name: 'Delete VM' }).click()
    await expect(toasts(page).getByRole('alert')).toHaveText('Failed to delete VM. Please try again.')
    await expect(dialog.getByRole('alert')).toHaveText('Failed to delete VM. Please try again.')
    await end()
    await dialog.getByRole('button', { name: 'Delete VM' }).click()
    await expect(page.getByText('VM "engine" deleted successfully')).toBeVisible()
    await expect(page).toHaveURL(vmListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    expect(await call(vmApi.list, { params: { projectId: project.id } })).toEqual([])
    await page.goto(vmPath(vm))
    await expect(page.getByRole('heading', { level: 1, name: 'VM not found' })).toBeVisible()
    await page.getByRole('link', { name: 'View Virtual Machines' }).click()
    await expect(page).toHaveURL(vmListPath(project.id))
  })

  test('that does not load can be tried again', async ({ page, makeVm }) => {
    const vm = await makeVm('engine')
    const { end } = await answer(page, vmApi.get, 500)
    await page.goto(vmPath(vm))
    await expect(page.getByRole('alert')).toContainText('Failed to load the VM. Please try again.')
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { level: 1, name: vm.name })).toBeVisible()
  })
})

test.describe('where the engine cannot do everything', () => {
  test.use({
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    server: async ({}, use) => {
      const server = await startServer({
        SLIPWAY_SIMULATED_SPEED: '4',
        SLIPWAY_SIMULATED_CANNOT: 'memory_snapshots,suspend,hot_plug,incremental_snapshots,screens',
        SLIPWAY_SIMULATED_ADDRESSES: 'inside',
      })
      await use(server)
      await server.stop()
    },
  })

  test('each control says in a sentence why it is disabled and what to do instead', async ({
    page,
    project,
    makeVm,
    addDisk,
  }) => {
    const hotPlug =
      'This cluster cannot attach or detach disks while a VM is running. Stop the VM, then change its disks.'
    const disk = await addDisk('scratch')
    await addDisk('spare')
    const vm = await makeVm('web', 'running', { disks: [{ disk_id: disk.id }] })

    await page.goto(vmPath(vm))
    for (const name of ['Attach disk', 'Detach scratch']) {
      await expect(page.getByRole('button', { name })).toBeDisabled()
      await expect(page.getByRole('button', { name })).toHaveAccessibleDescription(hotPlug)
    }
    await expect(page.getByRole('paragraph').filter({ hasText: hotPlug })).toBeVisible()
    // By its name first: the address leads nowhere from here.
    await expect(page.locator('code')).toHaveText([/^ssh web\.engines@\S+ -p \d+$/, /^ssh root@/])
    await expect(page.getByText('The IP address answers only inside the cluster.')).toHaveCount(2)
    await expectAccessible(page)

    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    const suspend = page.getByRole('menuitem', { name: 'Suspend' })
    await expect(suspend).toHaveAttribute('aria-disabled', 'true')
    await expect(suspend).toContainText('This cluster cannot suspend a VM. Stop the VM instead.')
    await page.keyboard.press('Escape')

    await page.goto(diskListPath(project.id))
    const row = page.getByRole('article', { name: 'scratch' })
    await expect(row.getByRole('button', { name: 'Detach' })).toBeDisabled()
    await expect(row).toContainText(hotPlug)
    await page
      .getByRole('article', { name: 'spare' })
      .getByRole('button', { name: 'Attach', exact: true })
      .click()
    await expect(page.getByRole('dialog')).toContainText(hotPlug)
    await expect(page.getByRole('dialog')).toContainText(
      'The VM must be stopped and have fewer than 15 disks.',
    )

    await page.goto(snapshotCreatePath(project.id))
    const full = page.getByRole('radio', { name: 'Full: disk plus memory' })
    await expect(full).toBeDisabled()
    await expect(full).toHaveAccessibleDescription(
      'This cluster cannot save memory in a snapshot. Choose disk.',
    )
    await full.click({ force: true })
    await page.getByRole('radio', { name: 'Disk only' }).press('ArrowDown')
    await expect(page.getByRole('radio', { name: 'Disk only' })).toBeChecked()
    await expectAccessible(page)

    await page.goto(diskSnapshotCreatePath(project.id))
    const incremental = page.getByRole('radio', { name: 'Incremental' })
    await expect(incremental).toBeDisabled()
    await expect(incremental).toHaveAccessibleDescription(
      'This cluster cannot save only the changes of a disk. Choose full.',
    )

    await page.goto(consolePath(vm))
    await page.getByRole('button', { name: 'Screen', exact: true }).click()
    await expect(
      page.getByText('This cluster cannot show the screen of a VM. Use the serial console or SSH.'),
    ).toBeVisible()
    await expectAccessible(page)
  })
})
