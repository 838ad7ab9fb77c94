import { diskApi, vmApi, vmSetApi } from '@slipway/contract'
import {
  binPath,
  diskCreatePath,
  diskListPath,
  diskPath,
  vmListPath,
  vmPath,
  vmPoolCreatePath,
  vmSetCreatePath,
} from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { address, call, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, said } from '../../screen/shown.test-kit.ts'
import { more } from '../vm/vm.test-kit.ts'
import { take } from '../vm-snapshot/vm-snapshot.test-kit.ts'

const gibibyte = 1024 ** 3

// An account may have two VMs and 10 GB of disks, and as much in the bin.
test.override('serverOptions', () => ({
  accountQuota: { vms: 2, disk_bytes: 10 * gibibyte, bin_bytes: 10 * gibibyte },
}))

describe('The limits of an account', () => {
  test('are told before a form is filled in, and disable Create with a sentence once they are reached', async ({
    project,
    makeVm,
  }) => {
    const first = await makeVm('first')
    await visit(`${vmListPath(project.id)}/create?template=${templateId}`)
    await expect.element(page.getByText('Left: 1 VM.')).toBeVisible()
    await page.getByLabelText('Name').fill('second')
    await expect.element(page.getByRole('button', { name: 'Create VM' })).toBeEnabled()
    await page.getByLabelText('Root disk (GB)').fill('30')
    await expect.element(page.getByText(/of its 10 GB of disk space, and 30 GB more/).first()).toBeVisible()
    await page.getByLabelText('Root disk (GB)').fill('')

    // Somebody else takes the last one meanwhile.
    await makeVm('faster')
    const full =
      'The account that owns this project uses 2 of its 2 VMs, and 1 more is requested. Delete VMs, or ask an administrator for a higher limit.'
    await expect.element(page.getByRole('form').getByText(full).first()).toBeVisible()
    await expect
      .element(page.getByRole('button', { name: 'Create VM' }))
      .toHaveAttribute('aria-disabled', 'true')
    await expectAccessible()
    await visit(vmPoolCreatePath(project.id))
    await expect.element(page.getByText(/uses 2 of its 2 VMs, and \d more/).first()).toBeVisible()

    await visit(`${vmListPath(project.id)}/create?template=${templateId}`)
    await page.getByLabelText('Name').fill('second')
    await call(vmApi.delete, { params: { projectId: project.id, vmId: first.id } })
    await expect.element(page.getByText('Left: 1 VM.')).toBeVisible()
    await page.getByRole('button', { name: 'Create VM' }).click()
    await expect.element(said('VM "second" created successfully')).toBeVisible()
  })

  test('are those of the bin too: the question says what leaves it, and what does not fit', async ({
    project,
    addDisk,
  }) => {
    const first = await addDisk('first', { size: '6Gi' })
    await call(diskApi.delete, { params: { projectId: project.id, diskId: first.id } })
    await visit(diskPath(await addDisk('second', { size: '7Gi' })))
    await page.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog')
    await expectText(question, 'To make room, the oldest object in the bin is deleted for good')
    await expectAccessible()
    await question.getByRole('button', { name: 'Delete' }).click()
    // It leads there by itself once it is deleted.
    await expect.poll(address).toBe(diskListPath(project.id))
    await visit(binPath(project.id))
    await expect.element(said('The account has 7 GB in its bin, of at most 10 GB')).toBeVisible()
    await expectCount(page.getByRole('button', { name: 'Restore first' }), 0)
    await expect.element(page.getByRole('button', { name: /Restore.*second/ })).toBeVisible()
  })

  test('count what is typed', async ({ project }) => {
    await call(diskApi.create, {
      params: { projectId: project.id },
      body: { name: 'data', size: '6Gi', source: 'EMPTY' },
    })
    await visit(diskCreatePath(project.id))
    await expect.element(page.getByText('Left: 4 GB of disk space.')).toBeVisible()
    await page.getByLabelText('Disk Name').fill('more')
    await page.getByLabelText('Size').fill('5Gi')
    await expect
      .element(page.getByText(/uses 6 GB of its 10 GB of disk space, and 5 GB more/).first())
      .toBeVisible()
    await page.getByLabelText('Size').fill('4Gi')
    await page.getByRole('button', { name: 'Create Disk' }).click()
    await expect.element(page.getByText('Disk "more" created successfully!')).toBeVisible()
  })
})

test('The limits of an account count root disks and copies of data disks of what is made of a snapshot', async ({
  project,
  sshKey,
  makeVm,
}) => {
  const params = { projectId: project.id }
  const data = await call(diskApi.create, { params, body: { name: 'data', size: '2Gi', source: 'EMPTY' } })
  const vm = await makeVm('first', 'running', { root_disk_gb: 5, disks: [{ disk_id: data.id }] })
  const { id } = await take(vm)
  const full = /uses 7 GB of its 10 GB of disk space, and 7 GB more is requested/
  const body = {
    name: 'copies',
    template_id: templateId,
    ssh_key_id: sshKey.id,
    replicas: 1,
    snapshot_id: id,
  }
  await expect(call(vmSetApi.create, { params, body })).rejects.toThrow(full)

  await visit(`${vmSetCreatePath(project.id)}?template=${templateId}&snapshot=${id}`)
  await page.getByLabelText('Number of replicas').fill('1')
  await expect.element(page.getByText('Left: 1 VM and 3 GB of disk space.')).toBeVisible()
  await expect.element(page.getByText(full).first()).toBeVisible()
  await expectText(page.getByRole('row', { name: /^Data disks/ }), '2Gi')
  await page.getByRole('button', { name: 'Use the template alone' }).click()
  await expectCount(page.getByText(full), 0)

  await visit(vmPath(vm))
  await more(vm, 'Fork')
  await expectText(page.getByRole('dialog', { name: 'Fork VM' }).getByRole('status'), full)
})
