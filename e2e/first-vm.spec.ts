import { projectApi, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { addKey, createFirstProject, createVm, signUpAndIn } from './sentences.ts'

test('a newcomer signs up, follows the mailed link and has a running VM', async ({
  page,
  server,
  person,
  call,
}) => {
  await signUpAndIn(page, server, person)
  await createFirstProject(page, 'Engines')
  await addKey(page, 'Laptop')
  await createVm(page, 'Difference engine')

  const [project] = await call(projectApi.list, {})
  await page.goto(`/projects/${project?.id}/vms`)
  await expect(page.getByText('running', { exact: false }).first()).toBeVisible()
  const vms = await call(vmApi.list, { params: { projectId: project?.id ?? '' } })
  expect(vms.map((vm) => vm.name)).toEqual(['Difference engine'])
})

for (const path of ['/', '/signin', '/signup', '/terms', '/privacy']) {
  test(`axe finds nothing wrong with ${path} for a visitor`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await expectAccessible(page)
  })
}

for (const path of ['/', '/projects', '/templates', '/ssh-keys', '/create']) {
  test(`axe finds nothing wrong with ${path} for a user`, async ({ page, user, call }) => {
    await call(projectApi.create, { body: { name: `${user.firstName}'s project`, description: '' } })
    await page.goto(path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await expectAccessible(page)
  })
}
