import { keygenCommand, sshKeyApi } from '@slipway/contract'
import { expect, test } from './fixtures.ts'
import { answer, callsOf } from './network.ts'
import { newPublicKey } from './person.ts'
import { addKey } from './sentences.ts'

const clipboard = () => navigator.clipboard.readText()

test('a key is added after what was typed has been understood', async ({ page, user: _ }) => {
  const calls = callsOf(page, sshKeyApi.create)
  const publicKey = newPublicKey()
  await page.goto('/ssh-keys')
  await expect(page.getByRole('heading', { name: 'No SSH Keys Yet' })).toBeVisible()
  await page.getByRole('button', { name: 'Add SSH Key' }).last().click()
  const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
  const submit = dialog.getByRole('button', { name: 'Add SSH Key' })
  await expect(submit).toBeDisabled()
  await expect(submit).toHaveAccessibleDescription('Please enter a name for the SSH key.')
  await dialog.getByLabel('Name').fill('Laptop')

  const text = dialog.getByLabel('Public key')
  for (const wrong of ['', 'hello', '-----BEGIN OPENSSH PRIVATE KEY-----', `${publicKey.slice(0, 40)}`]) {
    await text.fill(wrong)
    await submit.click()
    await expect(text).toHaveAccessibleDescription('Please provide a valid SSH public key.')
  }
  expect(calls).toEqual([])

  await text.fill(publicKey)
  await expect(dialog.getByText(publicKey.slice(0, 60), { exact: true })).toBeVisible()
  await submit.click()
  await expect(page.getByText('SSH key added successfully!')).toBeVisible()
  await expect(dialog).toBeHidden()
  const row = page.getByRole('listitem').filter({ hasText: 'Laptop' })
  const [type, body = ''] = publicKey.split(' ')
  await expect(row.getByText(`${type} ${body.slice(0, 20)}...`, { exact: true })).toBeVisible()
  await expect(row).toContainText(/SHA256:[\w+/]{43}/)

  await page.getByRole('button', { name: 'Add SSH Key' }).click()
  await expect(dialog.getByLabel('Name')).toHaveValue('')
  await dialog.getByLabel('Name').fill('Again')
  await text.fill(publicKey)
  await submit.click()
  await expect(dialog.getByRole('alert')).toHaveText('This SSH key has already been added')
  const { end } = await answer(page, sshKeyApi.create, 500)
  await submit.click()
  await expect(dialog.getByRole('alert')).toHaveText('Failed to add SSH key.')
  await end()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1)
})

test('the dialog tells how to make a key and warns of one that guests refuse', async ({ page, user: _ }) => {
  await page.goto('/ssh-keys')
  await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
  await expect(dialog).toContainText('~/.ssh/id_rsa.pub')
  await dialog.getByRole('button', { name: 'Copy SSH key generation command' }).click()
  await expect(page.getByText('SSH key generation command copied to clipboard!')).toBeVisible()
  expect(await page.evaluate(clipboard)).toBe(keygenCommand)

  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const old = Buffer.concat(
    [Buffer.from('ssh-dss'), ...['p', 'q', 'g', 'y'].map((n) => Buffer.from(n))].map(field),
  )
  await dialog.getByLabel('Public key').fill(`ssh-dss ${old.toString('base64')}`)
  await expect(dialog).toContainText('Current guests refuse ssh-dss keys.')
})

test('a key can be read, copied and deleted', async ({ page, sshKey }) => {
  await page.goto('/ssh-keys')
  const full = page.getByText(sshKey.public_key, { exact: true })
  await expect(full).toHaveCount(0)
  await page.getByRole('button', { name: 'Show full key Laptop' }).click()
  await expect(full).toBeVisible()
  await page.getByRole('button', { name: 'Hide full key Laptop' }).click()
  await expect(full).toHaveCount(0)

  await page.getByRole('button', { name: 'Copy Laptop' }).click()
  await expect(page.getByText('Copied to clipboard!')).toBeVisible()
  expect(await page.evaluate(clipboard)).toBe(sshKey.public_key)

  await page.getByRole('button', { name: 'Delete Laptop' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete SSH Key' })
  await expect(dialog).toContainText('Are you sure you want to delete this SSH key?')
  for (const [status, body, text] of [
    [404, { message: 'SSH key not found' }, 'SSH key not found'],
    [500, {}, 'Failed to delete SSH key.'],
  ] as const) {
    const { end } = await answer(page, sshKeyApi.delete, status, body)
    await dialog.getByRole('button', { name: 'Delete SSH Key' }).click()
    await expect(dialog.getByRole('alert')).toHaveText(text)
    await end()
  }
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'Laptop' })).toBeVisible()
  await page.getByRole('button', { name: 'Delete Laptop' }).click()
  await dialog.getByRole('button', { name: 'Delete SSH Key' }).click()
  await expect(page.getByText('SSH key deleted successfully!')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No SSH Keys Yet' })).toBeVisible()
})

test('a copy that the browser refuses is told', async ({ page, sshKey: _ }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))
    document.execCommand = () => false
  })
  await page.goto('/ssh-keys')
  await page.getByRole('button', { name: 'Copy Laptop' }).click()
  await expect(page.getByRole('alert')).toHaveText('Failed to copy to clipboard.')
  await page.getByRole('button', { name: 'Add SSH Key' }).click()
  await page.getByRole('button', { name: 'Copy SSH key generation command' }).click()
  await expect(page.getByText('Failed to copy command')).toBeVisible()
})

test('a new key is last, the default one first and preselected for a VM', async ({
  page,
  project: _,
  sshKey,
}) => {
  await addKey(page, 'Desktop')
  const names = page.getByRole('main').getByRole('listitem').getByRole('heading')
  // The first key is the default one until another is.
  await expect(names).toHaveText([`${sshKey.name}Default`, 'Desktop'])
  await page.getByRole('button', { name: 'Add SSH Key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
  await dialog.getByLabel('Name').fill('Safe')
  await dialog.getByLabel('Public key').fill(newPublicKey())
  await dialog.getByRole('checkbox', { name: 'Use as default key' }).check()
  await dialog.getByRole('button', { name: 'Add SSH Key' }).click()
  await expect(dialog).toBeHidden()
  await page.reload()
  await expect(names).toHaveText(['SafeDefault', sshKey.name, 'Desktop'])
  await page.goto('/create')
  await expect(page.getByRole('combobox', { name: 'SSH Key' })).toContainText('Safe')
})

test('keys that do not load can be tried again', async ({ page, sshKey }) => {
  const { end } = await answer(page, sshKeyApi.list, 500)
  await page.goto('/ssh-keys')
  await expect(page.getByRole('alert')).toContainText('Failed to load SSH keys.')
  await end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('heading', { name: sshKey.name })).toBeVisible()
})

test('Back leads to where one came from, or home', async ({ page, project: _ }) => {
  await page.goto('/templates')
  await page.getByRole('button', { name: 'AL Ada Lovelace' }).click()
  await page.getByRole('menuitem', { name: 'Manage SSH Keys' }).click()
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page).toHaveURL('/templates')
  await page.goto('/ssh-keys')
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page).toHaveURL('/')
})
