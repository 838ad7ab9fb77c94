import { projectApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { address, back, call, follow, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, expectTexts, texts } from '../../screen/shown.test-kit.ts'
import { manageProjects, question, selected } from './project.test-kit.ts'

describe('the Manage Projects dialog', () => {
  test('creates a project, which is last and active then', async ({ project }) => {
    await visit('/')
    const dialog = await manageProjects()
    const entries = dialog.getByRole('listitem')
    const names: string[] = [project.name]
    for (const [name, description] of [
      ['Looms', ''],
      ['Mills', 'Wind and water'],
    ] as const) {
      names.push(name)
      await dialog.getByLabelText('Project Name').fill(name)
      await dialog.getByLabelText('Description').fill(description)
      await dialog.getByRole('button', { name: 'Create Project' }).click()
      await expectTexts(
        entries,
        names.map((one) => expect.stringMatching(new RegExp(`^${one}No VMs`))),
      )
      await expectText(entries.last(), 'Active')
      await expectCount(dialog.getByText('Active', { exact: true }), 1)
      await expect.element(dialog.getByLabelText('Project Name')).toHaveValue('')
    }
    const projects = await call(projectApi.list, {})
    expect(projects.map(({ name, description }) => [name, description])).toEqual([
      [project.name, project.description],
      ['Looms', ''],
      ['Mills', 'Wind and water'],
    ])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect.element(selected('Mills')).toBeVisible()
    await expect.element(page.getByRole('heading', { level: 1, name: 'Mills' })).toBeVisible()
  })

  test('makes another project the active one', async ({ project: _ }) => {
    await call(projectApi.create, { body: { name: 'Looms' } })
    await visit('/')
    const dialog = await manageProjects()
    const entries = () => texts(dialog.getByRole('listitem'))
    await expect
      .poll(entries)
      .toEqual([
        expect.stringMatching(/^EnginesNo VMsActive/),
        expect.stringMatching(/^LoomsNo VMsMake active/),
      ])
    await dialog.getByRole('button', { name: 'Make active: Looms' }).click()
    await expect
      .poll(entries)
      .toEqual([
        expect.stringMatching(/^EnginesNo VMsMake active/),
        expect.stringMatching(/^LoomsNo VMsActive/),
      ])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect.element(selected('Looms')).toBeVisible()
    await expect.element(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
  })

  test('stands in the URL: a reload keeps it, Back closes it, and it follows to the dashboard', async ({
    project,
  }) => {
    await call(projectApi.create, { body: { name: 'Looms' } })
    await visit('/templates')
    const dialog = await manageProjects()
    await expect.poll(address).toBe('/templates?dialog=manage-projects')
    await reload()
    await expect.element(dialog).toBeVisible()
    await back()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.poll(address).toBe('/templates')

    await visit(`/projects/${project.id}/vms`)
    await manageProjects()
    await follow(dialog.getByRole('button', { name: 'Make active: Looms' }), '/?dialog=manage-projects')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.poll(address).toBe('/')
    // Back does not lead to the dialog again.
    await back()
    await expect.poll(address).toBe(`/projects/${project.id}/vms`)
    await expect.element(dialog).not.toBeInTheDocument()
  })

  test('has the whole screen of a phone: the menu it is opened from makes way', async ({ project: _ }) => {
    await page.viewport(390, 800)
    await visit('/templates')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('button', { name: 'Project: Engines' }).click()
    await page.getByRole('menuitem', { name: 'New project' }).click()
    const dialog = page.getByRole('dialog', { name: 'New Project' })
    await expect.element(dialog.getByLabelText('Project Name')).toHaveFocus()
    await expect.element(page.getByRole('dialog', { name: 'Menu' })).not.toBeInTheDocument()
    await back()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.poll(address).toBe('/templates')
  })

  test('deletes only projects without VMs', async ({ project, makeVm }) => {
    await makeVm('fault-never-ready')
    await makeVm('engine', 'running')
    await call(projectApi.create, { body: { name: 'Looms' } })
    await visit('/')
    await page.getByRole('button', { name: 'Manage Projects' }).click()
    const dialog = page.getByRole('dialog', { name: 'Manage Projects' })
    const kept = dialog.getByRole('listitem').filter({ hasText: project.name })
    await expect.element(kept.getByText('2 VMs, 1 running', { exact: true })).toBeVisible()
    await expect.element(kept.getByText('Cannot delete (VMs exist)', { exact: true })).toBeVisible()
    expect(kept.getByRole('button').elements()).toEqual([])

    await dialog.getByRole('button', { name: 'Delete Looms' }).click()
    const ask = page.getByRole('alertdialog', { name: 'Delete Project Looms' })
    await expect.element(ask.getByText(question, { exact: true })).toBeVisible()
    await ask.getByRole('button', { name: 'Delete Project' }).click()
    await expectCount(dialog.getByRole('listitem'), 1)
    await expect.element(dialog).toBeVisible()
  })

  test('scrolls many projects between its title and its button', async ({ project: _ }) => {
    for (let n = 0; n < 15; n++) await call(projectApi.create, { body: { name: `Loom ${n}` } })
    await visit('/')
    const dialog = await manageProjects()
    await expectText(dialog.getByRole('listitem').last(), 'No VMs')
    const last = await dialog.getByRole('button', { name: 'Delete Loom 14' }).findElement()
    last.scrollIntoView({ block: 'nearest' })
    await expect.element(last as HTMLElement).toBeInViewport({ ratio: 1 })
    await expect
      .element(dialog.getByRole('heading', { name: 'Manage Projects' }))
      .toBeInViewport({ ratio: 1 })
    await expect.element(dialog.getByRole('button', { name: 'Close' })).toBeInViewport({ ratio: 1 })
  })
})
