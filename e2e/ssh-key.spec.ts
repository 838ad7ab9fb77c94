import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from '@playwright/test'
import { keygenCommand, sshKeyApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { browseWithoutClipboard } from './clipboard.ts'
import { callWith, expect, join as joinServer, newPerson, test } from './fixtures.ts'

const run = promisify(execFile)

async function openForm(page: Page): Promise<Locator> {
  await page.getByRole('main').getByRole('button', { name: 'Add SSH Key' }).first().click()
  return page.getByRole('dialog', { name: 'Add SSH Key' })
}

const rows = (page: Page) => page.getByRole('main').getByRole('listitem')

test.describe('copying', () => {
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
