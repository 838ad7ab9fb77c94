import { keygenCommand, type SshKey, sshKeyApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { describe, expect } from 'vitest'
import { commands, type Locator, page } from 'vitest/browser'
import { copied, refuseCopies } from '../../screen/clipboard.test-kit.ts'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, call, press, test, texts, visit } from '../../screen/screen.test-kit.ts'
import { publicKeys } from './public-keys.test-kit.ts'

const privateKey = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
-----END OPENSSH PRIVATE KEY-----`

async function openForm(): Promise<Locator> {
  await page.getByRole('main').getByRole('button', { name: 'Add SSH Key' }).first().click()
  return page.getByRole('dialog', { name: 'Add SSH Key' })
}

const submitOf = (dialog: Locator) => dialog.getByRole('button', { name: 'Add SSH Key' })
const rows = () => page.getByRole('main').getByRole('listitem')

async function fillForm(dialog: Locator, name: string): Promise<void> {
  await dialog.getByLabelText('Name').fill(name)
  await dialog.getByLabelText('Public key').fill(await commands.newPublicKey())
}

describe('the list', () => {
  test('shows each key as the API has it, and no more of it than its beginning', async ({ sshKey: _ }) => {
    for (const name of ['مفتاح', '🔑 yubi']) {
      await call(sshKeyApi.create, {
        body: { key_name: name, ssh_public_key: await commands.newPublicKey() },
      })
    }
    const sshKeys = await call(sshKeyApi.list, {})
    for (const sshKey of sshKeys) {
      expect(Object.keys(sshKey).sort()).toEqual(
        ['id', 'name', 'public_key', 'fingerprint', 'is_default', 'created_at', 'proof'].sort(),
      )
    }
    await visit('/ssh-keys')
    await expect.poll(() => rows().elements()).toHaveLength(3)
    for (const [index, sshKey] of sshKeys.entries()) {
      const row = rows().nth(index)
      const [type, body = ''] = sshKey.public_key.split(' ')
      await expect.element(row.getByRole('heading', { name: sshKey.name, exact: false })).toBeVisible()
      await expect.element(row.getByText(`${type} ${body.slice(0, 20)}...`, { exact: true })).toBeVisible()
      await expect.element(row.getByText(sshKey.fingerprint, { exact: true })).toBeVisible()
      await expect.element(row).toMatchTextContent(`Added ${shownMoment(sshKey.created_at)}`)
      await expect.element(row).not.toMatchTextContent(body)
    }
  })

  test('shows 40 characters of a text that is not a key', async ({ user: _ }) => {
    const strange: SshKey = {
      id: 'strange',
      name: 'Strange',
      public_key: 'x'.repeat(80),
      fingerprint: 'SHA256:none',
      is_default: true,
      created_at: '2026-11-20T23:30:00.000Z',
      proof: 'not_needed',
    }
    answer(sshKeyApi.list, 200, [strange])
    await visit('/ssh-keys')
    await expect.element(rows().getByText(`${'x'.repeat(40)}...`, { exact: true })).toBeVisible()
  })

  test('shows and hides a whole key, again and again', async ({ sshKey }) => {
    await visit('/ssh-keys')
    const full = page.getByText(sshKey.public_key, { exact: true })
    await expect.element(page.getByRole('button', { name: 'Show full key Laptop' })).toBeVisible()
    expect(full.elements()).toHaveLength(0)
    for (let times = 0; times < 2; times++) {
      await page.getByRole('button', { name: 'Show full key Laptop' }).click()
      await expect.element(full).toBeVisible()
      await page.getByRole('button', { name: 'Hide full key Laptop' }).click()
      await expect.poll(() => full.elements()).toHaveLength(0)
    }
  })

  test('says that it is loading, and can be asked for again when that fails', async ({ sshKey }) => {
    const { letGo } = hold(sshKeyApi.list)
    for (const [status, body, text] of [
      [500, {}, 'Failed to load SSH keys.'],
      [503, { message: 'The keys are being moved.' }, 'Failed to load SSH keys. The keys are being moved.'],
      [null, {}, 'Failed to load SSH keys.'],
    ] as const) {
      const { end } = answer(sshKeyApi.list, status, body)
      await visit('/ssh-keys')
      await expect.element(page.getByRole('alert').getByRole('paragraph')).toHaveTextContent(text)
      await end()
    }
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(page.getByRole('main').getByRole('status')).toHaveTextContent('Loading SSH keys...')
    letGo()
    await expect.element(page.getByRole('heading', { name: sshKey.name, exact: false })).toBeVisible()
  })

  test('ends with a new key and begins with the default one, which a VM gets', async ({
    project: _,
    sshKey,
  }) => {
    await visit('/ssh-keys')
    const dialog = await openForm()
    await fillForm(dialog, 'Desktop')
    await submitOf(dialog).click()
    await expect.element(dialog).not.toBeInTheDocument()
    const names = rows().getByRole('heading')
    const shown = () => texts(names)
    // The first key is the default one until another is.
    await expect.poll(shown).toEqual([`${sshKey.name}Default`, 'Desktop'])
    await openForm()
    await fillForm(dialog, 'Safe')
    const asDefault = dialog.getByRole('checkbox', { name: 'Use as default key', exact: false })
    await asDefault.click()
    await expect.element(asDefault).toBeChecked()
    await submitOf(dialog).click()
    await expect.poll(shown).toEqual([sshKey.name, 'Desktop', 'SafeDefault'])
    // Without a reload: the list in hand still has it last.
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
    await expect.element(page.getByRole('combobox', { name: 'SSH Key' })).toMatchTextContent('Safe')

    await visit('/ssh-keys')
    await expect.poll(shown).toEqual(['SafeDefault', sshKey.name, 'Desktop'])
    await page.getByRole('button', { name: 'Delete Safe' }).click()
    await page.getByRole('button', { name: 'Delete SSH Key' }).click()
    await expect.poll(shown).toEqual([`${sshKey.name}Default`, 'Desktop'])
  })

  test('leads back to where one came from, or home', async ({ project: _ }) => {
    await visit('/create')
    await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'SSH Keys' })).toBeVisible()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.poll(address).toBe('/create')
    await visit('/ssh-keys')
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.poll(address).toBe('/')
  })
})

describe('adding a key', () => {
  test('needs a name and a public key', async ({ user: _ }) => {
    const calls = callsOf(sshKeyApi.create)
    await visit('/ssh-keys')
    await expect.element(page.getByRole('heading', { name: 'No SSH Keys Yet' })).toBeVisible()
    const dialog = await openForm()
    const name = dialog.getByLabelText('Name')
    await expect.element(submitOf(dialog)).toBeDisabled()
    await expect.element(submitOf(dialog)).toHaveAccessibleDescription('Please enter a name for the SSH key.')
    await name.fill('  ')
    await expect.element(submitOf(dialog)).toBeDisabled()
    await press(name, '{Enter}')
    await expect.element(name).toHaveAccessibleDescription('Please enter a name for the SSH key.')
    await name.fill('Laptop')
    const text = dialog.getByLabelText('Public key')
    const cut = (await commands.newPublicKey()).slice(0, 40)
    for (const wrong of ['', 'hello', privateKey, cut, 'ssh-rsa AAAA']) {
      await text.fill(wrong)
      await submitOf(dialog).click()
      await expect.element(text).toHaveAccessibleDescription('Please provide a valid SSH public key.')
    }
    expect(calls).toEqual([])
  })

  test('works with each type of key, with a comment and without', async ({ user: _ }) => {
    const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
    for (const { type, body, fingerprint } of publicKeys) {
      for (const publicKey of [`${type} ${body} ada@example.com`, `${type} ${body}`]) {
        await visit('/ssh-keys')
        await openForm()
        await dialog.getByLabelText('Name').fill(type)
        await dialog.getByLabelText('Public key').fill(publicKey)
        await expect.element(dialog.getByText(publicKey.slice(0, 60), { exact: true })).toBeVisible()
        const warning = dialog.getByText('Current guests refuse ssh-dss keys.', { exact: false })
        await expect.poll(() => warning.elements()).toHaveLength(type === 'ssh-dss' ? 1 : 0)
        await submitOf(dialog).click()
        await expect
          .element(rows().getByText(`${type} ${body.slice(0, 20)}...`, { exact: true }))
          .toBeVisible()
        const sshKeys = await call(sshKeyApi.list, {})
        expect(sshKeys).toMatchObject([{ name: type, public_key: publicKey, fingerprint }])
        for (const { id } of sshKeys) await call(sshKeyApi.delete, { params: { sshKeyId: id } })
      }
    }
  })

  test('tells what came of it', async ({ sshKey }) => {
    await visit('/ssh-keys')
    const dialog = await openForm()
    await dialog.getByLabelText('Name').fill('Again')
    await dialog.getByLabelText('Public key').fill(sshKey.public_key)
    await submitOf(dialog).click()
    await expect.element(dialog.getByRole('alert')).toHaveTextContent('This SSH key has already been added')
    for (const status of [500, null]) {
      const { end } = answer(sshKeyApi.create, status)
      await submitOf(dialog).click()
      await end()
      await expect.element(dialog.getByRole('alert')).toHaveTextContent('Failed to add SSH key.')
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => rows().elements()).toHaveLength(1)

    await openForm()
    await expect.element(dialog.getByLabelText('Name')).toHaveValue('')
    await expect.poll(() => dialog.getByRole('alert').elements()).toHaveLength(0)
    await fillForm(dialog, 'Desktop')
    const { letGo } = hold(sshKeyApi.create)
    await submitOf(dialog).click()
    await expect.element(dialog.getByRole('button', { name: 'Adding...' })).toBeDisabled()
    letGo()
    await expect.element(page.getByText('SSH key added successfully!', { exact: true })).toBeVisible()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.poll(() => rows().elements()).toHaveLength(2)
  })

  test('is helped by the command that makes a key and the place where it is', async ({ user: _ }) => {
    await visit('/ssh-keys')
    const dialog = await openForm()
    expect(keygenCommand).toMatch(/^ssh-keygen -t rsa -b 4096 /)
    await expect.element(dialog.getByText(keygenCommand, { exact: true })).toBeVisible()
    await expect.element(dialog.getByText('~/.ssh/id_rsa.pub', { exact: true })).toBeVisible()
    await dialog.getByRole('button', { name: 'Copy SSH key generation command' }).click()
    await expect
      .element(page.getByText('SSH key generation command copied to clipboard!', { exact: true }))
      .toBeVisible()
    expect(await copied()).toBe(keygenCommand)
  })
})

describe('copying', () => {
  test('puts the whole key on the clipboard', async ({ sshKey }) => {
    await visit('/ssh-keys')
    await page.getByRole('button', { name: 'Copy Laptop' }).click()
    await expect.element(page.getByText('Copied to clipboard!', { exact: true })).toBeVisible()
    expect(await copied()).toBe(sshKey.public_key)
  })

  test('that the browser refuses is told', async ({ sshKey: _ }) => {
    refuseCopies()
    await visit('/ssh-keys')
    await page.getByRole('button', { name: 'Copy Laptop' }).click()
    await expect.element(page.getByRole('alert')).toHaveTextContent('Failed to copy to clipboard.')
    const dialog = await openForm()
    await dialog.getByRole('button', { name: 'Copy SSH key generation command' }).click()
    await expect.element(page.getByText('Failed to copy command', { exact: true })).toBeVisible()
  })
})

test('a key is deleted after a question, and whatever prevents that is told', async ({ sshKey: _ }) => {
  await visit('/ssh-keys')
  await page.getByRole('button', { name: 'Delete Laptop' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete SSH Key' })
  await expect
    .element(dialog.getByText('Are you sure you want to delete this SSH key?', { exact: true }))
    .toBeVisible()
  for (const [status, body, text] of [
    [404, { message: 'SSH key not found' }, 'SSH key not found'],
    [500, {}, 'Failed to delete SSH key.'],
    [null, {}, 'Failed to delete SSH key.'],
  ] as const) {
    const { end } = answer(sshKeyApi.delete, status, body)
    await dialog.getByRole('button', { name: 'Delete SSH Key' }).click()
    await end()
    await expect.element(dialog.getByRole('alert')).toHaveTextContent(text)
  }
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(page.getByRole('heading', { name: 'Laptop', exact: false })).toBeVisible()
  expect(await call(sshKeyApi.list, {})).toHaveLength(1)
  await page.getByRole('button', { name: 'Delete Laptop' }).click()
  await dialog.getByRole('button', { name: 'Delete SSH Key' }).click()
  await expect.element(page.getByText('SSH key deleted successfully!', { exact: true })).toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'No SSH Keys Yet' })).toBeVisible()
  expect(await call(sshKeyApi.list, {})).toEqual([])
})
