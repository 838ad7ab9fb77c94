import { diskApi, vmApi, vmSetApi, vmSnapshotApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { test as base, expect, makeVm, often, templateId } from './fixtures.ts'
import {
  binPath,
  diskCreatePath,
  diskListPath,
  diskPath,
  vmListPath,
  vmPath,
  vmPoolCreatePath,
  vmSetCreatePath,
} from './paths.ts'
import { type Server, startServer } from './server.ts'

/** A server on which an account may have two VMs and 10 GB of disks. */
const test = base.extend<object, { limited: Server }>({
  limited: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => {
      const server = await startServer({
        SLIPWAY_SIMULATED_SPEED: '4',
        SLIPWAY_QUOTA_VMS: '2',
        SLIPWAY_QUOTA_DISK_GB: '10',
      })
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  server: async ({ limited }, use) => use(limited),
})

test.describe('The limits of an account', () => {
  test('are told before a form is filled in, and disable Create with a sentence once they are reached', async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const at = { template_id: templateId, ssh_key_id: sshKey.id }
    const first = await makeVm(call, project.id, { ...at, name: 'first' })
    await page.goto(`${vmListPath(project.id)}/create?template=${templateId}`)
    await expect(page.getByText('Left: 1 VM.')).toBeVisible()
    await page.getByLabel('Name').fill('second')
    await expect(page.getByRole('button', { name: 'Create VM' })).toBeEnabled()
    await expectAccessible(page)
    await page.getByLabel('Root disk (GB)').fill('30')
    await expect(page.getByText(/of its 10 GB of disk space, and 30 GB more/).first()).toBeVisible()
    await page.getByLabel('Root disk (GB)').fill('')

    // Somebody else takes the last one meanwhile.
    await makeVm(call, project.id, { ...at, name: 'faster' })
    const full =
      'The account that owns this project uses 2 of its 2 VMs, and 1 more is requested. Delete VMs, or ask an administrator for a higher limit.'
    await expect(page.getByRole('form').getByText(full).first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Create VM' })).toHaveAttribute('aria-disabled', 'true')
    await expectAccessible(page)
    await page.goto(vmPoolCreatePath(project.id))
    await expect(page.getByText(/uses 2 of its 2 VMs, and \d more/).first()).toBeVisible()

    await page.goto(`${vmListPath(project.id)}/create?template=${templateId}`)
    await page.getByLabel('Name').fill('second')
    await call(vmApi.delete, { params: { projectId: project.id, vmId: first.id } })
    await expect(page.getByText('Left: 1 VM.')).toBeVisible()
    await page.getByRole('button', { name: 'Create VM' }).click()
    await expect(page.getByText('VM "second" created successfully')).toBeVisible()
  })

  test('are those of the bin too: the question says what leaves it, and what does not fit', async ({
    page,
    project,
    call,
  }) => {
    const params = { projectId: project.id }
    const diskOf = async (name: string, size: string) => {
      const { id } = await call(diskApi.create, { params, body: { name, size, source: 'EMPTY' } })
      const status = async () => (await call(diskApi.list, { params })).find((disk) => disk.id === id)?.status
      await expect.poll(status, often).toBe('available')
      return id
    }
    await call(diskApi.delete, { params: { ...params, diskId: await diskOf('first', '6Gi') } })
    await page.goto(diskPath({ project_id: project.id, id: await diskOf('second', '7Gi') }))
    await page.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText('To make room, the oldest object in the bin is deleted for good')
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Delete' }).click()
    // It leads there by itself once it is deleted.
    await expect(page).toHaveURL(diskListPath(project.id))
    await page.goto(binPath(project.id))
    await expect(page.getByText('The account has 7 GB in its bin, of at most 10 GB')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Restore first' })).toHaveCount(0)
    await expect(page.getByRole('button', { name: /Restore.*second/ })).toBeVisible()
    await expectAccessible(page)
  })

  test('count what is typed', async ({ page, project, call }) => {
    await call(diskApi.create, {
      params: { projectId: project.id },
      body: { name: 'data', size: '6Gi', source: 'EMPTY' },
    })
    await page.goto(diskCreatePath(project.id))
    await expect(page.getByText('Left: 4 GB of disk space.')).toBeVisible()
    await page.getByLabel('Disk Name').fill('more')
    await page.getByLabel('Size').fill('5Gi')
    await expect(page.getByText(/uses 6 GB of its 10 GB of disk space, and 5 GB more/).first()).toBeVisible()
    await page.getByLabel('Size').fill('4Gi')
    await page.getByRole('button', { name: 'Create Disk' }).click()
    await expect(page.getByText('Disk "more" created successfully!')).toBeVisible()
  })
})

test('The limits of an account count root disks and copies of data disks of what is made of a snapshot', async ({
  page,
  project,
  sshKey,
  call,
}) => {
  const params = { projectId: project.id }
  const data = await call(diskApi.create, { params, body: { name: 'data', size: '2Gi', source: 'EMPTY' } })
  const vm = await makeVm(
    call,
    project.id,
    {
      template_id: templateId,
      ssh_key_id: sshKey.id,
      name: 'first',
      root_disk_gb: 5,
      disks: [{ disk_id: data.id }],
    },
    'running',
  )
  const { id } = await call(vmSnapshotApi.create, {
    params: { ...params, vmId: vm.id },
    body: { name: 'then', snapshot_type: 'disk', retention_days: 1 },
  })
  const isReady = async () =>
    (await call(vmSnapshotApi.list, { params, query: {} })).some(
      (one) => one.id === id && one.status === 'ready',
    )
  await expect.poll(isReady, often).toBe(true)
  const full = /uses 7 GB of its 10 GB of disk space, and 7 GB more is requested/
  const refused = call(vmSetApi.create, {
    params,
    body: {
      ...{
        name: 'copies',
        description: '',
        template_id: templateId,
        ssh_key_id: sshKey.id,
        persistent: true,
      },
      ...{ replicas: 1, disks: [], snapshot_id: id },
    },
  })
  await expect(refused).rejects.toThrow(full)

  await page.goto(`${vmSetCreatePath(project.id)}?template=${templateId}&snapshot=${id}`)
  await page.getByLabel('Number of replicas').fill('1')
  await expect(page.getByText('Left: 1 VM and 3 GB of disk space.')).toBeVisible()
  await expect(page.getByText(full).first()).toBeVisible()
  await expect(page.getByRole('row', { name: /^Data disks/ })).toContainText('2Gi')
  await page.getByRole('button', { name: 'Use the template alone' }).click()
  await expect(page.getByText(full)).toHaveCount(0)

  await page.goto(vmPath(vm))
  await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
  await page.getByRole('menuitem', { name: 'Fork' }).click()
  await expect(page.getByRole('dialog', { name: 'Fork VM' }).getByRole('status')).toHaveText(full)
})
