import { projectApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { callsOf } from '../../screen/network.test-kit.ts'
import { address, press, test, visit } from '../../screen/screen.test-kit.ts'
import { expectBusy, expectCount, expectDisabled, expectFailures } from '../../screen/shown.test-kit.ts'
import { manageProjects, selected } from './project.test-kit.ts'

const name = page.getByLabelText('Project Name')
const create = page.getByRole('button', { name: 'Create Project' })

/** The form of a field has the same parts wherever it is. */
async function expectForm(field: Locator): Promise<void> {
  const form = (await field.findElement()).closest('form')
  await expect.element(form).toMatchAriaInlineSnapshot(`
    - text: Project Name
    - textbox "Project Name"
    - text: Description Optional
    - textbox "Description"
    - status: Please enter a project name
    - button "Show as Text" [disabled]
    - button "Create Project" [disabled]
  `)
}

describe('the first project', () => {
  test('is created where a newcomer arrives, and opens', async ({ user: _ }) => {
    await visit('/')
    await expect.element(page.getByRole('heading', { level: 1, name: 'No Projects Found' })).toBeVisible()
    await name.fill(' Engines ')
    await page.getByLabelText(/^Description/).fill('Brass and steam')
    await create.click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
    await expect.element(page.getByText('Brass and steam')).toBeVisible()
    await expect.element(selected('Engines')).toBeVisible()
  })

  test('can be created at /onboarding, which is over once there is one', async ({ user: _ }) => {
    await visit('/onboarding')
    await expect
      .element(page.getByRole('heading', { level: 1, name: 'Create your first project' }))
      .toBeVisible()
    await name.fill('Engines')
    await press(name, '{Enter}')
    await expect.poll(address).toBe('/')
    await expect.element(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
    await visit('/onboarding')
    await expect.poll(address).toBe('/')
  })

  test('has the same form at home, at /onboarding and in both dialogs', async ({ user: _ }) => {
    await visit('/onboarding')
    await expectForm(name)
    await visit('/')
    await expectForm(name)
    await page.getByRole('button', { name: 'No projects' }).click()
    await page.getByRole('menuitem', { name: 'New project' }).click()
    const dialog = page.getByRole('dialog', { name: 'New Project' })
    await expectForm(dialog.getByLabelText('Project Name'))
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
    await expectForm((await manageProjects()).getByLabelText('Project Name'))
  })

  test('needs a name', async ({ user: _ }) => {
    const calls = callsOf(projectApi.create)
    await visit('/onboarding')
    await expectDisabled(create, 'Please enter a project name')
    await name.fill('   ')
    await expect.element(create).toBeDisabled()
    await press(name, '{Enter}')
    await expect.element(name).toHaveAccessibleDescription('Please enter a project name')
    await name.fill('x'.repeat(101))
    await create.click()
    await expect.element(name).toHaveAccessibleDescription('Use at most 100 characters for the name')
    expect(calls).toEqual([])
  })

  test('fails in a banner, with the words of the server or our own', async ({ user: _ }) => {
    await visit('/onboarding')
    await name.fill('Engines')
    await expectFailures(
      projectApi.create,
      () => create.click(),
      'Failed to create project',
      async (text) => {
        await expect.element(page.getByRole('main').getByRole('alert')).toHaveTextContent(text)
        await expectCount(page.getByRole('alert'), 1)
      },
    )
    await expect.element(name).toHaveValue('Engines')
    await expectBusy(projectApi.create, () => create.click(), 'Creating...')
    await expect.element(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
  })
})
