import { keygenCommand, sshKeyApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { describe, expect } from 'vitest'
import { commands, type Locator, page } from 'vitest/browser'
import { expectCopied, refuseCopies } from '../../screen/clipboard.test-kit.ts'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { call, follow, press, test, tick, visit } from '../../screen/screen.test-kit.ts'
import { expectBusy, expectCount, expectFailures, expectText, texts } from '../../screen/shown.test-kit.ts'

const privateKey = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
-----END OPENSSH PRIVATE KEY-----`

/** Of the only type that ssh-keygen makes no more. */
const dsaKey =
  'ssh-dss AAAAB3NzaC1kc3MAAACBAJuIdflWFldU20BUEmVu6lT5XaRRzGnbNhuqL3ndef16MVx1lK7FEgAiWI1DLfeiwgCGddh/0TkpQa15xHVpV/+Yw768U9J7ISgKcWoC7JfNJbYbLAX+xhe6fGiC7UAYxRQE8eY+6Cc0/merPxl2cmDYbOKUAHg8hiG8FPj94dMfAAAAFQCDZBhP8e5tVLxVngzvVubx4mQzpwAAAIA7p57niNAtxMAyL3GZt2xcO3814oqwVjPdOhIYwbGg7Zo9vcvJHGmZ3BLzS0tou5Qam6kNKzwbbBJvA6fmPwk66b0Gp6G1+HnPbn+aV88G7weJ67OprjjdcWyKdGfcB9EBZFlo2g8U7X7Oxfno8+U8/EXVAiD1euV4jqKiwX6YhgAAAIATNdicK551XLIGRa2UPWzMHi1NZkx6whP36LPEniQMUAM0RKNMCizaYy/cqtSpqaz2tixCPjrlLmjOhWg/HBW1w2ua+Y2T+yU0otUH0uhVsM+empXI8N8bQIYIeJjU0GOqEsO23MGdPyBWWn/pQtuJ2WxecXc77I1HAPlapcQayw=='

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
    await visit('/ssh-keys')
    await expectCount(rows(), 3)
    for (const [index, sshKey] of sshKeys.entries()) {
      const row = rows().nth(index)
      const [type, body = ''] = sshKey.public_key.split(' ')
      await expect.element(row.getByRole('heading', { name: sshKey.name, exact: false })).toBeVisible()
      await expect.element(row.getByText(`${type} ${body.slice(0, 20)}...`, { exact: true })).toBeVisible()
      await expect.element(row.getByText(sshKey.fingerprint, { exact: true })).toBeVisible()
      await expectText(row, `Added ${shownMoment(sshKey.created_at)}`)
      await expect.element(row).not.toMatchTextContent(body)
    }
  })

  test('shows and hides a whole key, again and again', async ({ sshKey }) => {
    await visit('/ssh-keys')
    const full = page.getByText(sshKey.public_key, { exact: true })
    await expect.element(page.getByRole('button', { name: 'Show full key Laptop' })).toBeVisible()
    expect(full.elements()).toHaveLength(0)
    await page.getByRole('button', { name: 'Show full key Laptop' }).click()
    await expect.element(full).toBeVisible()
    await page.getByRole('button', { name: 'Hide full key Laptop' }).click()
    await expectCount(full, 0)
    await expect.element(page.getByRole('button', { name: 'Show full key Laptop' })).toBeVisible()
  })

  test('says that it is loading', async ({ sshKey }) => {
    const { letGo } = hold(sshKeyApi.list)
    await visit('/ssh-keys')
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
    await tick(asDefault)
    await submitOf(dialog).click()
    await expect.poll(shown).toEqual([sshKey.name, 'Desktop', 'SafeDefault'])
    // Without a reload: the list in hand still has it last.
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
    await expectText(page.getByRole('combobox', { name: 'SSH Key' }), 'Safe')

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
    await follow(page.getByRole('button', { name: 'Back' }), '/create')
    await visit('/ssh-keys')
    await follow(page.getByRole('button', { name: 'Back' }), '/')
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
    for (const wrong of ['', privateKey, cut]) {
      await text.fill(wrong)
      await submitOf(dialog).click()
      await expect.element(text).toHaveAccessibleDescription('Please provide a valid SSH public key.')
    }
    expect(calls).toEqual([])
  })

  test('shows how a key begins, and warns of a type that guests refuse', async ({ user: _ }) => {
    await visit('/ssh-keys')
    const dialog = await openForm()
    const warning = dialog.getByText('Current guests refuse ssh-dss keys.', { exact: false })
    await fillForm(dialog, 'Old')
    await expectCount(warning, 0)
    await dialog.getByLabelText('Public key').fill(dsaKey)
    await expect.element(dialog.getByText(dsaKey.slice(0, 60), { exact: true })).toBeVisible()
    await expect.element(warning).toBeVisible()
    await submitOf(dialog).click()
    await expect.element(rows().getByText(`${dsaKey.slice(0, 28)}...`, { exact: true })).toBeVisible()
    expect(await call(sshKeyApi.list, {})).toMatchObject([{ name: 'Old', public_key: dsaKey }])
  })

  test('tells what came of it', async ({ sshKey }) => {
    await visit('/ssh-keys')
    const dialog = await openForm()
    await dialog.getByLabelText('Name').fill('Again')
    await dialog.getByLabelText('Public key').fill(sshKey.public_key)
    await submitOf(dialog).click()
    await expect.element(dialog.getByRole('alert')).toHaveTextContent('This SSH key has already been added')
    const { end } = answer(sshKeyApi.create, 500)
    await submitOf(dialog).click()
    await end()
    await expect.element(dialog.getByRole('alert')).toHaveTextContent('Failed to add SSH key.')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expectCount(rows(), 1)

    await openForm()
    await expect.element(dialog.getByLabelText('Name')).toHaveValue('')
    await expectCount(dialog.getByRole('alert'), 0)
    await fillForm(dialog, 'Desktop')
    await expectBusy(sshKeyApi.create, () => submitOf(dialog).click(), 'Adding...')
    await expect.element(page.getByText('SSH key added successfully!', { exact: true })).toBeVisible()
    await expect.element(dialog).not.toBeInTheDocument()
    await expectCount(rows(), 2)
  })

  test('is helped by the command that makes a key and the place where it is', async ({ user: _ }) => {
    await visit('/ssh-keys')
    const dialog = await openForm()
    expect(keygenCommand).toMatch(/^ssh-keygen -t rsa -b 4096 /)
    await expect.element(dialog.getByText(keygenCommand, { exact: true })).toBeVisible()
    await expect.element(dialog.getByText('~/.ssh/id_rsa.pub', { exact: true })).toBeVisible()
    await expectCopied(dialog.getByRole('button', { name: 'Copy SSH key generation command' }), keygenCommand)
    await expect
      .element(page.getByText('SSH key generation command copied to clipboard!', { exact: true }))
      .toBeVisible()
  })
})

describe('copying', () => {
  test('puts the whole key on the clipboard', async ({ sshKey }) => {
    await visit('/ssh-keys')
    await expectCopied(page.getByRole('button', { name: 'Copy Laptop' }), sshKey.public_key)
    await expect.element(page.getByText('Copied to clipboard!', { exact: true })).toBeVisible()
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
  const agree = () => dialog.getByRole('button', { name: 'Delete SSH Key' }).click()
  await expectFailures(sshKeyApi.delete, agree, 'Failed to delete SSH key.', (text) =>
    expect.element(dialog.getByRole('alert')).toHaveTextContent(text),
  )
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(page.getByRole('heading', { name: 'Laptop', exact: false })).toBeVisible()
  expect(await call(sshKeyApi.list, {})).toHaveLength(1)
  await page.getByRole('button', { name: 'Delete Laptop' }).click()
  await agree()
  await expect.element(page.getByText('SSH key deleted successfully!', { exact: true })).toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'No SSH Keys Yet' })).toBeVisible()
  expect(await call(sshKeyApi.list, {})).toEqual([])
})
