import { accessTexts, projectMemberApi, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { callWith, expect, join, newPerson, test } from './fixtures.ts'
import { consolePath, membersPath, vmListPath, vmPath } from './paths.ts'

test('two people share a project: invited, made more and less while a page is open, removed', async ({
  page,
  project,
  call,
  makeVm,
  server,
  browser,
  user,
}) => {
  const vm = await makeVm('web', 'running')
  const bob = {
    ...newPerson(),
    firstName: 'Bob',
    lastName: 'Babbage',
    email: `bob-${project.id}@example.com`,
  }
  const context = await browser.newContext({ baseURL: server.url })
  const bobs = await context.newPage()
  const asBob = callWith(bobs.request)
  await join(asBob, server, bob)

  await page.goto(membersPath(project.id))
  await expect(page.getByRole('list', { name: 'Members' }).getByRole('listitem')).toHaveCount(1)
  await expect(page.getByText(user.email)).toBeVisible()
  await expect(page.getByText('No invitation waits to be accepted.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Invite Member' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite member' })
  await dialog.getByLabel('Email address').fill(bob.email)
  await dialog.getByRole('button', { name: 'Send Invitation' }).click()
  await expect(page.getByRole('list', { name: 'Invitations' })).toContainText(bob.email)

  await bobs.goto(await server.mailedLink(bob.email, 'invitation'))
  await expect(bobs.getByText('invites you to the project Engines as viewer')).toBeVisible()
  await expectAccessible(bobs)
  await bobs.getByRole('button', { name: 'Join Project' }).click()
  await expect(bobs).toHaveURL(vmListPath(project.id))
  await expect(page.getByRole('list', { name: 'Members' }).getByRole('listitem')).toHaveCount(2)
  await expect(page.getByText('No invitation waits to be accepted.')).toBeVisible()

  await bobs.goto(vmPath(vm))
  const restart = bobs.getByRole('button', { name: 'Restart', exact: true })
  await expect(restart).toHaveAccessibleDescription(accessTexts.operator)
  const restarting = { params: { projectId: project.id, vmId: vm.id } }
  await expect(asBob(vmApi.restart, restarting)).rejects.toThrow(accessTexts.operator)

  const memberId = (await call(projectMemberApi.list, { params: { projectId: project.id } }))[1]?.id ?? ''
  await page.getByRole('button', { name: `Change role of Bob Babbage` }).click()
  await page.getByRole('dialog').getByText('Operator', { exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(restart).not.toHaveAccessibleDescription(accessTexts.operator)
  await bobs.goto(consolePath(vm))
  await expect(bobs.getByRole('region', { name: 'Console' })).toContainText('Connected')

  const params = { projectId: project.id, memberId }
  await call(projectMemberApi.update, { params, body: { role: 'viewer' } })
  await expect(bobs.getByRole('region', { name: 'Console' })).not.toContainText('Connected')
  await bobs.goto(vmPath(vm))
  await expect(restart).toHaveAccessibleDescription(accessTexts.operator)

  await page.getByRole('button', { name: 'Remove Bob Babbage' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove member' }).click()
  await expect(bobs.getByText('Project not found')).toBeVisible()
  await expect(asBob(vmApi.get, restarting)).rejects.toThrow('Project not found')
  await context.close()
})

test('a project is handed over once it is accepted, and the owner so far may leave it', {
  tag: '@full',
}, async ({ page, project, call, server, browser }) => {
  const bob = { ...newPerson(), firstName: 'Bob', email: `bob-${project.id}@example.com` }
  const context = await browser.newContext({ baseURL: server.url })
  const bobs = await context.newPage()
  const asBob = callWith(bobs.request)
  await join(asBob, server, bob)
  const params = { projectId: project.id }
  await call(projectMemberApi.invite, { params, body: { email: bob.email, role: 'operator' } })
  const link = new URL(await server.mailedLink(bob.email, 'invitation'), server.url)
  await asBob(projectMemberApi.accept, { body: { token: link.searchParams.get('token') ?? '' } })

  await page.goto(membersPath(project.id))
  const leave = page.getByRole('button', { name: 'Leave Project' })
  await expect(leave).toHaveAccessibleDescription(/handed over/)
  await page.getByRole('button', { name: /^Hand over project to Bob/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Hand over project' }).click()
  await expect(page.getByText(/^Waiting for Bob.* to accept the hand-over, until/)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: /^Withdraw hand-over to Bob/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw hand-over' }).click()
  await page.getByRole('button', { name: /^Hand over project to Bob/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Hand over project' }).click()
  await expect(page.getByRole('button', { name: /^Withdraw hand-over to Bob/ })).toBeVisible()

  await bobs.goto(membersPath(project.id))
  await bobs.getByRole('link', { name: 'Accept or Decline' }).click()
  await expect(bobs).toHaveURL(`/invitation?project=${project.id}`)
  await expect(bobs.getByText(/asks you to become the owner of the project Engines/)).toBeVisible()
  await expectAccessible(bobs)
  await bobs.getByRole('button', { name: 'Decline Hand-over' }).click()
  await expect(bobs.getByText('You declined the hand-over')).toBeVisible()
  await page.getByRole('button', { name: /^Hand over project to Bob/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Hand over project' }).click()
  await expect(page.getByRole('button', { name: /^Withdraw hand-over to Bob/ })).toBeVisible()
  await bobs.goto(`/invitation?project=${project.id}`)
  await bobs.getByRole('button', { name: 'Take Over Project' }).click()
  await expect(bobs).toHaveURL(membersPath(project.id))
  await expect(page.getByRole('button', { name: 'Invite Member' })).toHaveAccessibleDescription(
    accessTexts.owner,
  )
  await leave.click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave project' }).click()
  await expect(page).toHaveURL('/projects')
  await expect(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
  await context.close()
})
