import { diskCreatePath, snapshotCreatePath, vmPoolCreatePath, vmSetCreatePath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { copied } from '../../screen/clipboard.test-kit.ts'
import { choose, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectDisabled, expectText } from '../../screen/shown.test-kit.ts'

const show = page.getByRole('button', { name: 'Show as Text' })
const shown = page.getByRole('dialog', { name: 'Show as Text' })
const code = shown.getByRole('code')
const way = (name: 'Command' | 'Request') => shown.getByRole('button', { name })

/** The text of the dialog, line by line: where lines end counts in a file. */
const expectCode = (...lines: string[]) =>
  expect.poll(() => code.element().textContent.trimEnd()).toBe(lines.join('\n'))

describe('a form as text', () => {
  test('is a file, a command and a request that create the same', async ({ project, sshKey }) => {
    const name = page.getByLabelText('Name', { exact: true })
    await visit(`/create?template=${templateId}`)
    await expectDisabled(show, 'Please enter a VM name')
    await name.fill("Ada's engine")
    await page.getByRole('checkbox', { name: /^Persistent storage/ }).click()
    await show.click()
    await expectCode(
      'slipway: 1',
      `project: ${project.name}`,
      'vms:',
      "  Ada's engine:",
      '    template: Starter Linux',
      `    ssh_key: ${sshKey.name}`,
      '    persistent: false',
    )
    await way('Command').click()
    await expectText(code, 'slipway vm create', "--template_id 'Starter Linux'")
    await way('Request').click()
    await shown.getByRole('button', { name: 'Copy the request' }).click()
    await expect.poll(copied).toContain(`/api/projects/${project.id}/vms"`)
    await shown.getByRole('button', { name: 'Done' }).click()
    await expect.element(show).toHaveFocus()
    await expect.element(name).toHaveValue("Ada's engine")
  })

  for (const [what, path, name, part] of [
    ['a disk', diskCreatePath, 'Disk Name', 'disks:'],
    ['a pool', vmPoolCreatePath, 'Pool name', 'pools:'],
    ['a set', vmSetCreatePath, 'Name', 'sets:'],
  ] as const)
    test(`is there for ${what}`, async ({ project, sshKey: _ }) => {
      await visit(`${path(project.id)}?template=${templateId}`)
      await page.getByLabelText(name, { exact: true }).fill('thing')
      await show.click()
      await expect.poll(() => code.element().textContent).toContain(`${part}\n  thing:`)
    })

  test('is no file for a snapshot', async ({ project, makeVm }) => {
    const vm = await makeVm('loom', 'running')
    await visit(`${snapshotCreatePath(project.id)}?vm=${vm.id}`)
    await page.getByLabelText('Snapshot Name').fill('before')
    await show.click()
    await expectText(shown, 'A project file holds no snapshots.')
    await way('Command').click()
    await expectText(code, 'slipway vm-snapshot create loom')
  })

  test('is a command for a file of this computer', async ({ project }) => {
    await visit(diskCreatePath(project.id))
    await choose('Source', /^Upload a File/)
    await page.getByLabelText('Size').fill('1GB')
    await userEvent.upload(
      page.getByLabelText('File', { exact: true }),
      new File([new Uint8Array(512)], 'tiles.img', { type: 'application/octet-stream' }),
    )
    await show.click()
    await expectText(shown, 'A project file holds no content of files. Use the command.')
    await way('Command').click()
    await expectText(code, 'slipway disk upload tiles.img')
    await way('Request').click()
    await expectText(shown, 'A file is sent in pieces')
  })

  test('is no file for a template, which belongs to no project', async ({ user: _ }) => {
    await visit('/admin/templates')
    await expect.element(show).toBeDisabled()
    await page.getByLabelText('Name').fill('Rust for VMs')
    await page.getByLabelText('Description').fill('Compiler and cargo')
    await choose('Default CPU', '4 cores')
    await choose('Default memory', '2.0 GB')
    await show.click()
    await expectText(shown, 'A project file holds no templates.')
    await way('Command').click()
    await expectText(shown, 'the server takes none for this. Use the request.')
    await way('Request').click()
    await expectText(code, '"default_memory_mb":2048')
  })

  test('is there for a project, which is a file of its own', async ({ user: _ }) => {
    await visit('/projects')
    await page.getByRole('button', { name: 'Create Project' }).first().click()
    await page.getByLabelText('Project Name').fill('Looms')
    await page.getByLabelText('Description').fill('Cards and thread')
    await show.click()
    await expectCode('slipway: 1', 'project: Looms', 'description: Cards and thread')
    await way('Command').click()
    await expectCode("slipway project create \\\n  --name Looms \\\n  --description 'Cards and thread'")
    await way('Request').click()
    await expectText(code, '/api/projects"')
    await userEvent.keyboard('{Escape}')
    await expect.element(shown).not.toBeInTheDocument()
    await expect.element(page.getByLabelText('Project Name')).toHaveValue('Looms')
  })
})
