import { projectApi, vmApi } from '@slipway/contract'
import { expect, test } from './fixtures.ts'
import { vmListPath } from './paths.ts'
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
  await page.goto(vmListPath(project?.id ?? ''))
  const card = page.getByRole('article', { name: 'Difference engine' })
  await expect(card.getByText('Running', { exact: true })).toBeVisible()
  const vms = await call(vmApi.list, { params: { projectId: project?.id ?? '' } })
  expect(vms.map((vm) => vm.name)).toEqual(['Difference engine'])
})
