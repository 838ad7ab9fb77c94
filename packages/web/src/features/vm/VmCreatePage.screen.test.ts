import { diskApi, keygenCommand, projectApi, sshKeyApi, templateApi, vmApi } from '@slipway/contract'
import { makeDisk } from '@slipway/e2e/objects'
import { vmListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { commands, page, userEvent } from 'vitest/browser'
import { expectCopied } from '../../screen/clipboard.test-kit.ts'
import { holdClock, passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import {
  address,
  back,
  call,
  choose,
  follow,
  press,
  reload,
  templateId,
  test,
  tick,
  visit,
} from '../../screen/screen.test-kit.ts'
import {
  expectBusy,
  expectCount,
  expectRefused,
  expectRule,
  expectText,
  expectTexts,
  expectToast,
  said,
  texts,
  toasts,
} from '../../screen/shown.test-kit.ts'

const createPath = `/create?template=${templateId}`
const failure = 'Failed to create VM. Please try again.'

const name = page.getByLabelText('Name', { exact: true })
const submit = page.getByRole('button', { name: 'Create VM' })
const alert = toasts().getByRole('alert').first()
const persistent = page.getByRole('checkbox', { name: /^Persistent storage/ })
const box = (label: string) => page.getByRole('combobox', { name: label })

describe('the create form', () => {
  test('needs no more than a name, and the VM is on the dashboard at once', async ({ project, sshKey }) => {
    await call(sshKeyApi.create, {
      body: { key_name: 'Desktop', ssh_public_key: await commands.newPublicKey() },
    })
    const calls = callsOf(vmApi.create)
    await visit(createPath)
    await expectText(box('Project'), project.name)
    await expectText(box('Template'), 'Starter Linux')
    await expectText(box('SSH Key'), sshKey.name)
    await expect.element(persistent).toBeChecked()
    await expect.element(said('Password authentication is disabled on the VM.')).toBeVisible()
    await expectTexts(page.getByRole('definition'), ['1 core', '256 MB', project.name, 'None'])
    await name.fill(' Difference engine ')
    await expectBusy(vmApi.create, () => submit.dblClick(), 'Creating...')
    await expectToast('VM "Difference engine" created successfully with SSH key configured!')
    await expect.poll(address).toBe('/')
    await expect.element(page.getByRole('link', { name: 'View Details of Difference engine' })).toBeVisible()
    expect(calls.map(({ body }) => body)).toEqual([
      { name: 'Difference engine', template_id: templateId, ssh_key_id: sshKey.id, persistent: true },
    ])
    const vms = await call(vmApi.list, { params: { projectId: project.id } })
    expect(vms).toMatchObject([{ name: 'Difference engine', ssh_key_name: sshKey.name, persistent: true }])
  })

  test('says one rule at a time beside the button, in the order of the form', async ({
    project: _,
    sshKey: __,
  }) => {
    const calls = callsOf(vmApi.create)
    await visit('/create')
    await expectRule(submit, name, 'Please enter a VM name')
    await name.fill('engine')
    await expectRule(submit, name, 'Please select a template')
    expect(calls).toEqual([])
    await choose('Template', /^Starter Linux/)
    await expect.element(submit).toBeEnabled()
    await press(name, '{Enter}')
    await expect.poll(address).toBe('/')
    expect(calls).toHaveLength(1)
  })

  test('lets one choose the size, which is shown beside the form and given to the VM', async ({
    project,
    sshKey: _,
  }) => {
    const calls = callsOf(vmApi.create)
    await visit(createPath)
    await name.fill('wide')
    const [cpus, memory] = [page.getByLabelText(/^CPUs/), page.getByLabelText(/^Memory \(MB\)/)]
    await expect.element(cpus).toHaveAttribute('placeholder', '1')
    await cpus.fill('two')
    await memory.fill('1024')
    await press(memory, '{Tab}')
    const problem = /Enter a whole number of processors from 1 to/
    await expect.element(cpus).toHaveAccessibleDescription(problem)
    await expect.element(submit).toHaveAccessibleDescription(problem)
    await cpus.fill('2')
    await expectTexts(page.getByRole('definition'), ['2 cores', '1.0 GB', project.name, 'None'])
    const rootDisk = page.getByLabelText('Root disk (GB)')
    await expect.element(said('Left empty, it has the 4 GB of the template.')).toBeVisible()
    await rootDisk.fill('2')
    await submit.click()
    await expect
      .element(said('The root disk of this template has 4 GB. Enter at least 4,').first())
      .toBeVisible()
    await rootDisk.fill('50')
    await submit.click()
    await expect.poll(address).toBe('/')
    const vms = await call(vmApi.list, { params: { projectId: project.id } })
    expect(vms).toMatchObject([{ name: 'wide', cpu: 2, memory_mb: 1024 }])
    expect(calls.at(-1)?.body).toMatchObject({ root_disk_gb: 50 })
  })

  test('warns of a root disk that forgets', async ({ project, sshKey: _ }) => {
    const calls = callsOf(vmApi.create)
    await visit(createPath)
    const warning = said('All data on the root disk is lost when the VM stops or restarts.')
    await expect.element(persistent).toBeChecked()
    await expect.element(warning).not.toBeInTheDocument()
    await tick(persistent, false)
    await expect.element(warning).toBeVisible()
    await name.fill('sieve')
    await submit.click()
    await page.getByRole('link', { name: 'View Details of sieve' }).click()
    await expect.element(said('Starts from the template at every start')).toBeVisible()
    expect(calls[0]?.body).toMatchObject({ persistent: false })
    const [vm] = await call(vmApi.list, { params: { projectId: project.id } })
    expect(vm?.persistent).toBe(false)
  })

  test('keeps what was typed while one looks after the keys', async ({ project: _ }) => {
    await visit(createPath)
    await name.fill('engine')
    await tick(persistent, false)
    await expect.element(said('No SSH keys yet')).toBeVisible()
    await follow(page.getByRole('link', { name: 'Manage SSH Keys' }), '/ssh-keys')
    await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
    await dialog.getByLabelText('Name').fill('Laptop')
    await dialog.getByLabelText('Public key').fill(await commands.newPublicKey())
    await dialog.getByRole('button', { name: 'Add SSH Key' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.element(name).toHaveValue('engine')
    await expect.element(persistent).not.toBeChecked()
    await expectText(box('SSH Key'), 'Laptop')
    await expect.element(submit).toBeEnabled()
    // Only this once.
    await reload()
    await expect.element(name).toHaveValue('')
  })

  test('begins anew when one comes back by another way', async ({ project: _, sshKey: __ }) => {
    await visit('/create')
    await name.fill('engine')
    await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
    await expectText(box('Template'), 'Starter Linux')
    await expect.element(name).toHaveValue('')
  })

  test('stays as it is when the VM cannot be created', async ({ project: _, sshKey: __ }) => {
    await visit(createPath)
    await name.fill('engine')
    await expectRefused(vmApi.create, () => submit.click(), failure)
    expect(address()).toBe(createPath)
    await expect.element(name).toHaveValue('engine')
    await submit.click()
    await expect.poll(address).toBe('/')
  })

  test('waits 15 s for an answer, and no longer', async ({ project: _, sshKey: __ }) => {
    const { letGo } = hold(vmApi.create)
    const calls = callsOf(vmApi.create)
    await visit(createPath)
    await name.fill('engine')
    // What the form still loads would be given up by the jump of the clock.
    await expect.element(submit).toBeEnabled()
    await stopClock()
    holdClock()
    await submit.click()
    await expect.poll(() => calls).toHaveLength(1)
    await expect.element(page.getByRole('button', { name: 'Creating...' })).toBeVisible()
    await passTime(14_999)
    await expect.element(page.getByRole('button', { name: 'Creating...' })).toBeVisible()
    await passTime(1)
    await expect.element(alert).toHaveTextContent(failure)
    await expect.element(submit).toBeEnabled()
    await expect.element(name).toHaveValue('engine')
    letGo()
  })

  test('tells what came of it although one has gone elsewhere', async ({ project: _, sshKey: __ }) => {
    const { letGo } = hold(vmApi.create)
    await visit(createPath)
    await name.fill('engine')
    await submit.click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
    letGo()
    await expectText(toasts(), 'VM "engine" created successfully with SSH key configured!')
    expect(address()).toBe('/templates')
  })

  test('is calm about keys and disks that do not load, and calls neither missing', async ({
    project,
    sshKey,
  }) => {
    const keys = answer(sshKeyApi.list, 500)
    const disks = answer(diskApi.list, 500)
    await visit(createPath)
    await expect.element(box('SSH Key')).toHaveAccessibleDescription('The SSH keys could not be loaded.')
    await expect.element(said('No SSH keys yet')).not.toBeInTheDocument()
    await expect.element(said('No key yet?')).not.toBeInTheDocument()
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await expect.element(said('The disks could not be loaded.')).toBeVisible()
    await expect.element(said('This project has no available disk.')).not.toBeInTheDocument()
    await expect.element(toasts().getByRole('alert')).not.toBeInTheDocument()
    await keys.end()
    await disks.end()
    await page.getByRole('button', { name: 'Try Again' }).first().click()
    await expectText(box('SSH Key'), sshKey.name)
    // Whoever has a key needs no command that makes one.
    await expect.element(said('No key yet?')).not.toBeInTheDocument()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(said('This project has no available disk.')).toBeVisible()
    await name.fill('engine')
    await follow(page.getByRole('link', { name: 'Create Disk' }), `/projects/${project.id}/disks/create`)
    await back()
    await expect.element(name).toHaveValue('engine')
  })

  test('says that templates did not load, and loads them again', async ({ project: _, sshKey: __ }) => {
    const { end } = answer(templateApi.list, 500)
    await visit(createPath)
    await expect
      .element(box('Template'))
      .toHaveAccessibleDescription('Failed to load templates. Please try again.')
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expectText(box('Template'), 'Starter Linux')
  })

  test('leads somebody without a project to the first one and back, and keeps what was typed', async ({
    user: _,
  }) => {
    await visit(createPath)
    await name.fill('engine')
    await follow(page.getByRole('link', { name: 'Create your first project' }), '/onboarding')
    await page.getByLabelText('Project Name').fill('Engines')
    await follow(page.getByRole('button', { name: 'Create Project' }), createPath)
    await expect.element(name).toHaveValue('engine')
    await expectText(box('Template'), 'Starter Linux')
    await expectText(box('Project'), 'Engines')
  })

  test('offers the command that makes a key', async ({ project: _ }) => {
    await visit(createPath)
    const copy = page.getByRole('button', { name: 'Copy SSH key generation command' })
    await expect.element(page.getByRole('form').getByRole('code')).toHaveTextContent(keygenCommand)
    await expectCopied(copy, keygenCommand)
    await expect.element(toasts()).toHaveTextContent('SSH key generation command copied to clipboard!')
  })
})

for (const { kind, pathOf } of [
  { kind: 'the form', pathOf: (_: string) => '/create' },
  { kind: 'the form of a project', pathOf: (id: string) => `${vmListPath(id)}/create` },
]) {
  describe(kind, () => {
    test('knows the template of its address, and no unknown one', async ({ project, sshKey: _ }) => {
      await visit(`${pathOf(project.id)}?template=${templateId}`)
      await expectText(box('Template'), 'Starter Linux')
      for (const query of ['?template=none-such', '?template=', '']) {
        await visit(`${pathOf(project.id)}${query}`)
        await expect.element(box('Template')).toHaveTextContent('Choose a template')
      }
    })

    test('is left by Cancel without a VM', async ({ project, sshKey: _ }) => {
      const calls = callsOf(vmApi.create)
      await visit(`${pathOf(project.id)}?template=${templateId}`)
      await name.fill('engine')
      await follow(page.getByRole('link', { name: 'Cancel' }), '/')
      await expect.element(page.getByRole('heading', { name: 'What do you want to run?' })).toBeVisible()
      expect(calls).toEqual([])
    })
  })
}

test('the form of a project creates in that project', async ({ project: _, sshKey: __ }) => {
  const other = await call(projectApi.create, { body: { name: 'Looms' } })
  const calls = callsOf(vmApi.create)
  await visit(`${vmListPath(other.id)}/create?template=${templateId}`)
  await expectText(box('Project'), 'Looms')
  await expect.element(box('Project')).toBeDisabled()
  await name.fill('loom')
  await submit.click()
  await expect.poll(address).toBe('/')
  await expect.element(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
  await expect.element(page.getByRole('link', { name: 'View Details of loom' })).toBeVisible()
  expect(calls.map(({ path }) => path)).toEqual([`/api${vmListPath(other.id)}`])
})

describe('disks', () => {
  const add = () => page.getByRole('button', { name: 'Add Disk' }).click()
  const rows = page.getByRole('button', { name: /^Disk \d/ })
  const openRows = () => rows.elements().map((row) => row.getAttribute('aria-expanded') === 'true')

  test.beforeEach(async ({ project: _, sshKey: __ }) => {
    answer(diskApi.list, 200, [
      makeDisk('ledger'),
      makeDisk('draft', 'creating'),
      makeDisk('journal'),
      makeDisk('attic', 'attached'),
      makeDisk('ruin', 'failed'),
      makeDisk('rust', 'error'),
      makeDisk('ash', 'deleting'),
    ])
    await visit(createPath)
    await name.fill('engine')
  })

  test('have a row each, one open at a time, the first by default', async () => {
    expect(rows.elements()).toEqual([])
    await add()
    await expect.poll(openRows).toEqual([true])
    await add()
    await expect.poll(openRows).toEqual([true, false])
    await rows.nth(1).click()
    await expect.poll(openRows).toEqual([false, true])
    await expectCount(box('Existing disk'), 1)
    await rows.nth(1).click()
    await expect.poll(openRows).toEqual([false, false])
  })

  test('show the new row once the open one has its choice', async () => {
    await add()
    await choose('Existing disk', /^ledger/)
    await add()
    await expect.poll(openRows).toEqual([false, true])
    await expectText(rows.first(), /ledger.*10Gi/)
  })

  test('are those that are available, each in one row only', async () => {
    const options = () => texts(page.getByRole('option'))
    await add()
    await box('Existing disk').click()
    await expect.poll(options).toEqual([expect.stringMatching(/^ledger/), expect.stringMatching(/^journal/)])
    await page.getByRole('option', { name: /^ledger/ }).click()
    await add()
    await box('Existing disk').click()
    await expect.poll(options).toEqual([expect.stringMatching(/^journal/)])
  })

  test('must all be chosen', async () => {
    const calls = callsOf(vmApi.create)
    await add()
    await choose('Existing disk', /^ledger/)
    await add()
    await expect.element(box('Existing disk')).toHaveAccessibleDescription('Please select an existing disk.')
    await expectRule(submit, name, 'Please select an existing disk for all disk entries')
    expect(calls).toEqual([])
    await choose('Existing disk', /^journal/)
    await expect.element(said('Please select an existing disk.')).not.toBeInTheDocument()
    // The server knows no such disks; what it is asked is what counts here.
    answer(vmApi.create, 409, { message: 'Disk "ledger" is not available' })
    const sent = callsOf(vmApi.create)
    await submit.click()
    await expectTexts(alert.getByRole('paragraph'), [failure, 'Disk "ledger" is not available'])
    expect(sent[0]?.body).toMatchObject({ disks: [{ disk_id: 'ledger' }, { disk_id: 'journal' }] })
  })

  test('go after a question', async () => {
    await add()
    await choose('Existing disk', /^ledger/)
    await add()
    await choose('Existing disk', /^journal/)
    const question = page.getByRole('alertdialog', { name: 'Remove disk' })
    const remove = page.getByRole('button', { name: 'Remove disk 1' })
    await remove.click()
    await expect.element(question.getByText('Remove this disk?', { exact: false })).toBeVisible()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(question).not.toBeInTheDocument()
    await remove.click()
    await expect.element(question).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(question).not.toBeInTheDocument()
    await expect.element(said('2 disks')).toBeVisible()
    await remove.click()
    await question.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect.element(page.getByText('1 disk', { exact: true })).toBeVisible()
    await expectTexts(rows, ['Disk 1'])
    await expectText(box('Existing disk'), 'journal')
  })
})
