import { diskApi, vmApi } from '@slipway/contract'
import { diskListPath, vmListPath, vmPath, vmPoolPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { call, follow, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectText } from '../../screen/shown.test-kit.ts'
import { cardOf } from '../vm-group/vm-group.test-kit.ts'
import { makePool } from '../vm-pool/vm-pool.test-kit.ts'
import { more } from './vm.test-kit.ts'

test('a VM of a pool names its pool, and is replaced with the disks that were made for it', async ({
  project,
  sshKey,
  makeVm,
}) => {
  const pool = await makePool(project.id, {
    name: 'web',
    template_id: templateId,
    ssh_key_id: sshKey.id,
    auto_scaling: false,
    disks: [{ name: 'data', size: '1Gi' }],
  })
  await makeVm('alone', 'running')
  await visit(diskListPath(project.id))
  await expectText(cardOf('data-1'), 'Deleted with this VM')

  await visit(vmListPath(project.id))
  await expect.element(cardOf('alone')).toBeVisible()
  await expect.element(cardOf('alone')).not.toMatchTextContent('Part of')
  await more({ name: 'alone' }, 'Delete VM')
  const question = page.getByRole('alertdialog', { name: 'Delete VM' })
  await expect
    .element(question.getByText(/^Are you sure/))
    .toHaveTextContent(
      'Are you sure you want to delete VM "alone"? Attached disks are kept. This action cannot be undone.',
    )
  await question.getByRole('button', { name: 'Cancel' }).click()
  await follow(cardOf('web-1').getByRole('link', { name: 'web', exact: true }), vmPoolPath(pool))

  const [first] = await call(vmApi.list, { params: { projectId: project.id } })
  if (!first) throw new Error('The pool has no VM')
  await visit(vmPath(first))
  await expectText(page.getByRole('region', { name: 'Facts' }), 'Part ofpool web')
  await expectText(page.getByRole('main'), 'Data disk, deleted with this VM')
  await more({ name: 'web-1' }, 'Delete VM')
  await expectText(
    question,
    'It is part of a VM pool, "web": disks that were made for it are deleted with it, and a new VM takes its place.',
  )
  await follow(question.getByRole('button', { name: 'Delete VM' }), vmListPath(project.id))
  await expect
    .poll(async () => {
      const vms = await call(vmApi.list, { params: { projectId: project.id } })
      const disks = await call(diskApi.list, { params: { projectId: project.id }, query: {} })
      const other = vms.find((vm) => vm.vmpool_id === pool.id)
      return [other?.id !== first.id, other?.status, disks.map((disk) => disk.vm_id === other?.id)]
    })
    .toEqual([true, 'running', [true]])
  await expect.element(cardOf('web-1').getByText('Running', { exact: true })).toBeVisible()
})
