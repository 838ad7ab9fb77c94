import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { consolePath, diskListPath, diskSnapshotCreatePath, snapshotCreatePath, vmPath } from './paths.ts'
import { startServer } from './server.ts'

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
