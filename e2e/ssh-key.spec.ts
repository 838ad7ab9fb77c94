import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from '@playwright/test'
import { keygenCommand, type SshKey, sshKeyApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { browseWithoutClipboard, copied, refuseCopies } from './clipboard.ts'
import { shownMoment } from './dates.ts'
import { callWith, expect, join as joinServer, newPerson, test } from './fixtures.ts'
import { answer, callsOf, hold } from './network.ts'
import { newPublicKey } from './person.ts'
import { publicKeys } from './public-keys.ts'
import { addKey } from './sentences.ts'

const run = promisify(execFile)

const privateKey = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
-----END OPENSSH PRIVATE KEY-----`

async function openForm(page: Page): Promise<Locator> {
  await page.getByRole('main').getByRole('button', { name: 'Add SSH Key' }).first().click()
  return page.getByRole('dialog', { name: 'Add SSH Key' })
}

const submitOf = (dialog: Locator) => dialog.getByRole('button', { name: 'Add SSH Key' })
const rows = (page: Page) => page.getByRole('main').getByRole('listitem')

test.describe('the list', () => {
  test('shows each key as the API has it, and no more of it than its beginning', async ({
    page,
    sshKey: _,
    call,
  }) => {
    for (const name of ['مفتاح', '🔑 yubi']) {
      await call(sshKeyApi.create, { body: { key_name: name, ssh_public_key: newPublicKey() } })
    }
    const sshKeys = await call(sshKeyApi.list, {})
    for (const sshKey of sshKeys) {
      expect(Object.keys(sshKey).sort()).toEqual(
        ['id', 'name', 'public_key', 'fingerprint', 'is_default', 'created_at', 'proof'].sort(),
      )
    }
    await page.goto('/ssh-keys')
    await expect(rows(page)).toHaveCount(3)
    for (const [index, sshKey] of sshKeys.entries()) {
      const row = rows(page).nth(index)
      const [type, body = ''] = sshKey.public_key.split(' ')
      await expect(row.getByRole('heading', { name: sshKey.name })).toBeVisible()
      await expect(row.getByText(`${type} ${body.slice(0, 20)}...`, { exact: true })).toBeVisible()
      await expect(row.getByText(sshKey.fingerprint, { exact: true })).toBeVisible()
      await expect(row).toContainText(`Added ${shownMoment(sshKey.created_at)}`)
      await expect(row).not.toContainText(body)
    }
  })

  test('shows 40 characters of a text that is not a key', async ({ page, user: _ }) => {
    const strange: SshKey = {
      id: 'strange',
      name: 'Strange',
      public_key: 'x'.repeat(80),
      fingerprint: 'SHA256:none',
      is_default: true,
      created_at: '2026-11-20T23:30:00.000Z',
      proof: 'not_needed',
    }
    await answer(page, sshKeyApi.list, 200, [strange])
    await page.goto('/ssh-keys')
    await expect(rows(page).getByText(`${'x'.repeat(40)}...`, { exact: true })).toBeVisible()
  })

  test('shows and hides a whole key, again and again', async ({ page, sshKey }) => {
    await page.goto('/ssh-keys')
    const full = page.getByText(sshKey.public_key, { exact: true })
    await expect(full).toHaveCount(0)
    for (let times = 0; times < 2; times++) {
      await page.getByRole('button', { name: 'Show full key Laptop' }).click()
      await expect(full).toBeVisible()
      await page.getByRole('button', { name: 'Hide full key Laptop' }).click()
      await expect(full).toHaveCount(0)
    }
  })

  test('says that it is loading, and can be asked for again when that fails', async ({ page, sshKey }) => {
    const { letGo } = await hold(page, sshKeyApi.list)
    for (const [status, body, text] of [
      [500, {}, 'Failed to load SSH keys.'],
      [503, { message: 'The keys are being moved.' }, 'Failed to load SSH keys. The keys are being moved.'],
      [null, {}, 'Failed to load SSH keys.'],
    ] as const) {
      const { end } = await answer(page, sshKeyApi.list, status, body)
      await page.goto('/ssh-keys')
      await expect(page.getByRole('alert').getByRole('paragraph')).toHaveText(text)
      await end()
    }
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading SSH keys...')
    letGo()
    await expect(page.getByRole('heading', { name: sshKey.name })).toBeVisible()
  })

  test('ends with a new key and begins with the default one, which a VM gets', async ({
    page,
    project: _,
    sshKey,
  }) => {
    await addKey(page, 'Desktop')
    const names = rows(page).getByRole('heading')
    // The first key is the default one until another is.
    await expect(names).toHaveText([`${sshKey.name}Default`, 'Desktop'])
    const dialog = await openForm(page)
    await dialog.getByLabel('Name').fill('Safe')
    await dialog.getByLabel('Public key').fill(newPublicKey())
    await dialog.getByRole('checkbox', { name: 'Use as default key' }).check()
    await submitOf(dialog).click()
    await expect(names).toHaveText([sshKey.name, 'Desktop', 'SafeDefault'])
    // Without a reload: the list in hand still has it last.
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
    await expect(page.getByRole('combobox', { name: 'SSH Key' })).toContainText('Safe')

    await page.goto('/ssh-keys')
    await expect(names).toHaveText(['SafeDefault', sshKey.name, 'Desktop'])
    await page.getByRole('button', { name: 'Delete Safe' }).click()
    await page.getByRole('button', { name: 'Delete SSH Key' }).click()
    await expect(names).toHaveText([`${sshKey.name}Default`, 'Desktop'])
  })

  test('leads back to where one came from, or home', async ({ page, project: _ }) => {
    await page.goto('/create')
    await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'SSH Keys' })).toBeVisible()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(page).toHaveURL('/create')
    await page.goto('/ssh-keys')
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(page).toHaveURL('/')
  })
})

test.describe('adding a key', () => {
  test('needs a name and a public key', async ({ page, user: _ }) => {
    const calls = callsOf(page, sshKeyApi.create)
    await page.goto('/ssh-keys')
    await expect(page.getByRole('heading', { name: 'No SSH Keys Yet' })).toBeVisible()
    const dialog = await openForm(page)
    const name = dialog.getByLabel('Name')
    await expect(submitOf(dialog)).toBeDisabled()
    await expect(submitOf(dialog)).toHaveAccessibleDescription('Please enter a name for the SSH key.')
    await name.fill('  ')
    await expect(submitOf(dialog)).toBeDisabled()
    await name.press('Enter')
    await expect(name).toHaveAccessibleDescription('Please enter a name for the SSH key.')
    await name.fill('Laptop')
    const text = dialog.getByLabel('Public key')
    for (const wrong of ['', 'hello', privateKey, newPublicKey().slice(0, 40), 'ssh-rsa AAAA']) {
      await text.fill(wrong)
      await submitOf(dialog).click()
      await expect(text).toHaveAccessibleDescription('Please provide a valid SSH public key.')
    }
    expect(calls).toEqual([])
  })

  test('works with each type of key, with a comment and without', async ({ page, user: _, call }) => {
    const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
    for (const { type, body, fingerprint } of publicKeys) {
      for (const publicKey of [`${type} ${body} ada@example.com`, `${type} ${body}`]) {
        await page.goto('/ssh-keys')
        await openForm(page)
        await dialog.getByLabel('Name').fill(type)
        await dialog.getByLabel('Public key').fill(publicKey)
        await expect(dialog.getByText(publicKey.slice(0, 60), { exact: true })).toBeVisible()
        const warning = dialog.getByText('Current guests refuse ssh-dss keys.')
        await expect(warning).toHaveCount(type === 'ssh-dss' ? 1 : 0)
        await submitOf(dialog).click()
        await expect(rows(page).getByText(`${type} ${body.slice(0, 20)}...`, { exact: true })).toBeVisible()
        const sshKeys = await call(sshKeyApi.list, {})
        expect(sshKeys).toMatchObject([{ name: type, public_key: publicKey, fingerprint }])
        for (const { id } of sshKeys) await call(sshKeyApi.delete, { params: { sshKeyId: id } })
      }
    }
  })

  test('tells what came of it', async ({ page, sshKey }) => {
    await page.goto('/ssh-keys')
    const dialog = await openForm(page)
    await dialog.getByLabel('Name').fill('Again')
    await dialog.getByLabel('Public key').fill(sshKey.public_key)
    await submitOf(dialog).click()
    await expect(dialog.getByRole('alert')).toHaveText('This SSH key has already been added')
    for (const status of [500, null]) {
      const { end } = await answer(page, sshKeyApi.create, status)
      await submitOf(dialog).click()
      await end()
      await expect(dialog.getByRole('alert')).toHaveText('Failed to add SSH key.')
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(rows(page)).toHaveCount(1)

    await openForm(page)
    await expect(dialog.getByLabel('Name')).toHaveValue('')
    await expect(dialog.getByRole('alert')).toHaveCount(0)
    await dialog.getByLabel('Name').fill('Desktop')
    await dialog.getByLabel('Public key').fill(newPublicKey())
    const { letGo } = await hold(page, sshKeyApi.create)
    await submitOf(dialog).click()
    await expect(dialog.getByRole('button', { name: 'Adding...' })).toBeDisabled()
    letGo()
    await expect(page.getByText('SSH key added successfully!', { exact: true })).toBeVisible()
    await expect(dialog).toBeHidden()
    await expect(rows(page)).toHaveCount(2)
  })

  test('is helped by the command that makes a key and the place where it is', async ({ page, user: _ }) => {
    await page.goto('/ssh-keys')
    const dialog = await openForm(page)
    expect(keygenCommand).toMatch(/^ssh-keygen -t rsa -b 4096 /)
    await expect(dialog.getByText(keygenCommand, { exact: true })).toBeVisible()
    await expect(dialog.getByText('~/.ssh/id_rsa.pub', { exact: true })).toBeVisible()
    await dialog.getByRole('button', { name: 'Copy SSH key generation command' }).click()
    await expect(
      page.getByText('SSH key generation command copied to clipboard!', { exact: true }),
    ).toBeVisible()
    expect(await copied(page)).toBe(keygenCommand)
  })
})

test.describe('copying', () => {
  test('puts the whole key on the clipboard', async ({ page, sshKey }) => {
    await page.goto('/ssh-keys')
    await page.getByRole('button', { name: 'Copy Laptop' }).click()
    await expect(page.getByText('Copied to clipboard!', { exact: true })).toBeVisible()
    expect(await copied(page)).toBe(sshKey.public_key)
  })

  test('works without the interface that browsers lack on plain http', async ({ page, sshKey }) => {
    await browseWithoutClipboard(page)
    await page.goto('/ssh-keys')
    expect(await page.evaluate(() => navigator.clipboard)).toBeUndefined()
    const copy = page.getByRole('button', { name: 'Copy Laptop' })
    await copy.click()
    await expect(page.getByText('Copied to clipboard!', { exact: true })).toBeVisible()
    await expect(copy).toBeFocused()
    const dialog = await openForm(page)
    await dialog.getByLabel('Public key').press('Control+V')
    await expect(dialog.getByLabel('Public key')).toHaveValue(sshKey.public_key)

    // A dialog holds the focus, which the old copy command needs.
    await dialog.getByRole('button', { name: 'Copy SSH key generation command' }).click()
    await expect(page.getByText('SSH key generation command copied to clipboard!')).toBeVisible()
    await dialog.getByLabel('Name').press('Control+V')
    await expect(dialog.getByLabel('Name')).toHaveValue(keygenCommand)
  })

  test('that the browser refuses is told', async ({ page, sshKey: _ }) => {
    await refuseCopies(page)
    await page.goto('/ssh-keys')
    await page.getByRole('button', { name: 'Copy Laptop' }).click()
    await expect(page.getByRole('alert')).toHaveText('Failed to copy to clipboard.')
    const dialog = await openForm(page)
    await dialog.getByRole('button', { name: 'Copy SSH key generation command' }).click()
    await expect(page.getByText('Failed to copy command', { exact: true })).toBeVisible()
  })
})

test('a key is deleted after a question, and whatever prevents that is told', async ({
  page,
  sshKey: _,
  call,
}) => {
  await page.goto('/ssh-keys')
  await page.getByRole('button', { name: 'Delete Laptop' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete SSH Key' })
  await expect(
    dialog.getByText('Are you sure you want to delete this SSH key?', { exact: true }),
  ).toBeVisible()
  for (const [status, body, text] of [
    [404, { message: 'SSH key not found' }, 'SSH key not found'],
    [500, {}, 'Failed to delete SSH key.'],
    [null, {}, 'Failed to delete SSH key.'],
  ] as const) {
    const { end } = await answer(page, sshKeyApi.delete, status, body)
    await dialog.getByRole('button', { name: 'Delete SSH Key' }).click()
    await end()
    await expect(dialog.getByRole('alert')).toHaveText(text)
  }
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'Laptop' })).toBeVisible()
  expect(await call(sshKeyApi.list, {})).toHaveLength(1)
  await page.getByRole('button', { name: 'Delete Laptop' }).click()
  await dialog.getByRole('button', { name: 'Delete SSH Key' }).click()
  await expect(page.getByText('SSH key deleted successfully!', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No SSH Keys Yet' })).toBeVisible()
  expect(await call(sshKeyApi.list, {})).toEqual([])
})

test('a key that another account has too is proven by a sign-in', async ({
  page,
  user: _,
  call,
  server,
  browser,
}) => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-proof-'))
  const file = join(dir, 'key')
  await run('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', file])
  const ssh_public_key = await readFile(`${file}.pub`, 'utf8')
  await call(sshKeyApi.create, { body: { key_name: 'Both', ssh_public_key } })
  const elsewhere = await browser.newContext({ baseURL: server.url })
  const others = callWith(elsewhere.request)
  await joinServer(others, server, newPerson())
  await others(sshKeyApi.create, { body: { key_name: 'Stolen', ssh_public_key } })

  await page.goto('/ssh-keys')
  const row = rows(page).filter({ has: page.getByRole('heading', { name: 'Both' }) })
  await expect(row.getByText('Not proven', { exact: true })).toBeVisible()
  await expect(row).toContainText('This key is stored in another account too.')
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Prove Key Both' }).click()
  const dialog = page.getByRole('dialog', { name: 'Prove SSH Key' })
  const command = dialog.getByText(/^ssh prove-[0-9a-f]{20}@\S+ -p \d+$/)
  await expect(command).toBeVisible()
  await expectAccessible(page)
  const [, ...args] = (await command.innerText()).split(' ')
  const options = [
    ...['-F', '/dev/null', '-i', file],
    ...[
      'IdentitiesOnly=yes',
      'BatchMode=yes',
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
    ].flatMap((option) => ['-o', option]),
  ]
  const { stderr } = await run('ssh', [...options, ...args])
  expect(stderr).toContain('SSH key Both is proven for the account')
  await expect(page.getByText('SSH key proven successfully!', { exact: true })).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(row.getByText('Proven', { exact: true })).toBeVisible()
  expect((await others(sshKeyApi.list, {})).map(({ proof }) => proof)).toEqual(['needed'])
  await elsewhere.close()
  await rm(dir, { recursive: true })
})
