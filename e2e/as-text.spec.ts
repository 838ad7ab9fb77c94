import { expectAccessible } from './a11y.ts'
import { copied } from './clipboard.ts'
import { expect, templateId, test } from './fixtures.ts'
import { diskCreatePath, snapshotCreatePath, vmPoolCreatePath, vmSetCreatePath } from './paths.ts'
import { choose } from './sentences.ts'

test.describe('a form as text', () => {
  test('is a file, a command and a request that create the same', async ({ page, project, sshKey }) => {
    await page.goto(`/create?template=${templateId}`)
    const show = page.getByRole('button', { name: 'Show as Text' })
    await expect(show).toBeDisabled()
    await expect(show).toHaveAccessibleDescription('Please enter a VM name')
    await page.getByLabel('Name', { exact: true }).fill("Ada's engine")
    await page.getByRole('checkbox', { name: 'Persistent storage' }).uncheck()
    await show.click()
    const dialog = page.getByRole('dialog', { name: 'Show as Text' })
    await expect(dialog.getByRole('code')).toHaveText(
      [
        'slipway: 1',
        `project: ${project.name}`,
        'vms:',
        "  Ada's engine:",
        '    template: Starter Linux',
        `    ssh_key: ${sshKey.name}`,
        '    persistent: false',
      ].join('\n'),
    )
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Command' }).click()
    await expect(dialog.getByRole('code')).toContainText('slipway vm create')
    await expect(dialog.getByRole('code')).toContainText("--template_id 'Starter Linux'")
    await dialog.getByRole('button', { name: 'Request' }).click()
    await dialog.getByRole('button', { name: 'Copy the request' }).click()
    expect(await copied(page)).toContain(`/api/projects/${project.id}/vms"`)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(show).toBeFocused()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue("Ada's engine")
  })

  for (const [what, path, name, part] of [
    ['a disk', diskCreatePath, 'Disk Name', 'disks:'],
    ['a pool', vmPoolCreatePath, 'Pool name', 'pools:'],
    ['a set', vmSetCreatePath, 'Name', 'sets:'],
  ] as const)
    test(`is there for ${what}`, async ({ page, project, sshKey: _ }) => {
      await page.goto(`${path(project.id)}?template=${templateId}`)
      await page.getByLabel(name, { exact: true }).fill('thing')
      await page.getByRole('button', { name: 'Show as Text' }).click()
      const code = page.getByRole('dialog', { name: 'Show as Text' }).getByRole('code')
      await expect(code).toContainText(`${part}\n  thing:`)
    })

  test('is no file for a snapshot', async ({ page, project, makeVm }) => {
    const vm = await makeVm('loom', 'running')
    await page.goto(`${snapshotCreatePath(project.id)}?vm=${vm.id}`)
    await page.getByLabel('Snapshot Name').fill('before')
    await page.getByRole('button', { name: 'Show as Text' }).click()
    const dialog = page.getByRole('dialog', { name: 'Show as Text' })
    await expect(dialog).toContainText('A project file holds no snapshots.')
    await dialog.getByRole('button', { name: 'Command' }).click()
    await expect(dialog.getByRole('code')).toContainText('slipway vm-snapshot create loom')
  })
  test('is no file for a template, which belongs to no project', async ({ page, user: _ }) => {
    await page.goto('/admin/templates')
    const show = page.getByRole('button', { name: 'Show as Text' })
    await expect(show).toBeDisabled()
    await page.getByLabel('Name').fill('Rust for VMs')
    await page.getByLabel('Description').fill('Compiler and cargo')
    await choose(page, 'Default CPU', '4 cores')
    await choose(page, 'Default memory', '2.0 GB')
    await show.click()
    const dialog = page.getByRole('dialog', { name: 'Show as Text' })
    await expect(dialog).toContainText('A project file holds no templates.')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Command' }).click()
    await expect(dialog.getByRole('code')).toContainText(
      "slipway template create \\\n  --name 'Rust for VMs'",
    )
    await dialog.getByRole('button', { name: 'Request' }).click()
    await expect(dialog.getByRole('code')).toContainText('"default_memory_mb":2048')
  })
})
