import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { apiTokenApi, sshKeyApi, vmSnapshotScheduleApi, webhookApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { vmPath, webhookListPath } from './paths.ts'
import { newPublicKey } from './person.ts'

const commandLine = fileURLToPath(new URL('../packages/cli/bin', import.meta.url))

/** What somebody copies into a shell. */
const inShell = (text: string, more: Record<string, string>) =>
  promisify(execFile)('sh', ['-eu', '-c', text], {
    env: { ...process.env, ...more, PATH: `${commandLine}:${process.env.PATH}` },
  })

const shownText = (page: Page) => page.getByRole('dialog', { name: 'Show as Text' })

test.describe('a form as text', () => {
  test('is the entry of its VM for a snapshot schedule', async ({ page, project, makeVm, call, server }) => {
    const vm = await makeVm('loom', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: 'Set Schedule' }).click()
    const form = page.getByRole('dialog', { name: 'Set snapshot schedule' })
    await form.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin')
    await page.getByRole('option', { name: 'Europe/Berlin' }).click()
    await form.getByRole('button', { name: 'Show as Text' }).click()
    const code = shownText(page).getByRole('code')
    await expect(code).toHaveText(
      [
        'slipway: 1',
        `project: ${project.name}`,
        'vms:',
        '  loom:',
        '    template: Starter Linux',
        `    ssh_key: ${vm.ssh_key_name}`,
        '    snapshot_schedule:',
        '      daily:',
        '        time: 03:00',
        '        keep: 7',
        '      time_zone: Europe/Berlin',
        '      snapshot_type: disk',
      ].join('\n'),
    )
    const file = await code.innerText()
    const { token } = await call(apiTokenApi.create, {
      body: { name: 'shell', access: 'write', project_ids: null },
    })
    const { stdout } = await inShell(`slipway apply - <<'END'\n${file}\nEND`, {
      SLIPWAY_SERVER: server.url,
      SLIPWAY_TOKEN: token,
    })
    expect(stdout).toBe('+ snapshot schedule of VM loom: daily at 03:00, keeps 7 (Europe/Berlin)\nDone.\n')
    const params = { projectId: project.id, vmId: vm.id }
    expect(await call(vmSnapshotScheduleApi.get, { params })).toMatchObject({
      daily: { time: '03:00', keep: 7 },
      time_zone: 'Europe/Berlin',
    })
  })

  test('opens over a dialog and leaves it as it was', async ({ page, project, call, server }) => {
    await page.goto(webhookListPath(project.id))
    await page.getByRole('button', { name: 'Create Webhook' }).last().click()
    const form = page.getByRole('dialog', { name: 'Create webhook' })
    const show = form.getByRole('button', { name: 'Show as Text' })
    await expect(show).toBeDisabled()
    await form.getByLabel('URL').fill('https://hooks.example.com/slipway')
    await form.getByLabel('Description').fill("Ada's chat")
    await form.getByRole('radio', { name: 'Only some' }).check()
    await form.getByLabel('Actions').fill('vm.start, vm.error')
    await form.getByLabel('Actions').press('Tab')
    await expect(show).toBeFocused()
    await page.keyboard.press('Enter')
    const text = shownText(page)
    await expect(text.getByRole('code')).toHaveText(
      [
        'slipway: 1',
        `project: ${project.name}`,
        'webhooks:',
        "  Ada's chat:",
        '    url: https://hooks.example.com/slipway',
        '    actions:',
        '      - vm.start',
        '      - vm.error',
      ].join('\n'),
    )
    await expectAccessible(page)
    await text.getByRole('button', { name: 'Command' }).click()
    const command = await text.getByRole('code').innerText()
    await text.getByRole('button', { name: 'Request' }).click()
    await expect(text.getByRole('code')).toContainText(`/api/projects/${project.id}/webhooks"`)
    const request = await text.getByRole('code').innerText()
    await page.keyboard.press('Escape')
    await expect(text).toBeHidden()
    await expect(show).toBeFocused()
    await expect(form.getByLabel('URL')).toHaveValue('https://hooks.example.com/slipway')

    const { token } = await call(apiTokenApi.create, {
      body: { name: 'shell', access: 'write', project_ids: null },
    })
    const env = { SLIPWAY_SERVER: server.url, SLIPWAY_TOKEN: token }
    await inShell(command, env)
    await inShell(request, env)
    await form.getByRole('button', { name: 'Create Webhook' }).click()
    await expect(page.getByRole('dialog', { name: 'Webhook created' })).toBeVisible()
    const made = (await call(webhookApi.list, { params: { projectId: project.id } })).map(
      ({ url, description, objects, actions }) => ({ url, description, objects, actions }),
    )
    expect(made).toHaveLength(3)
    expect(new Set(made.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test('is a request of a session where the server takes no API token', async ({
    page,
    user,
    call,
    server,
  }) => {
    const key = newPublicKey()
    await page.goto('/ssh-keys')
    await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add SSH Key' })
    await form.getByLabel('Name').fill('Analytical')
    await expect(form.getByRole('button', { name: 'Show as Text' })).toBeDisabled()
    await form.getByLabel('Public key').fill(key)
    await form.getByRole('button', { name: 'Show as Text' }).click()
    const text = shownText(page)
    await expect(text).toContainText('A project file holds no SSH keys. Use the request.')
    await text.getByRole('button', { name: 'Command' }).click()
    await expect(text).toContainText('the server takes none for this')
    await text.getByRole('button', { name: 'Request' }).click()
    await expect(text).toContainText('cookies.txt')
    const request = await text.getByRole('code').innerText()
    await text.getByRole('button', { name: 'Done' }).click()
    await form.getByRole('button', { name: 'Cancel' }).click()

    const { email, password } = user
    const signIn = `curl -c cookies.txt -H 'Content-Type: application/json' -d '${JSON.stringify({ email, password })}' ${server.url}/api/auth/signin`
    const folder = await mkdtemp(join(tmpdir(), 'as-text-'))
    const { stdout } = await inShell(
      `cd ${folder}\nuuidgen() { echo ${randomUUID()}; }\n${signIn}\n${request}`,
      {},
    )
    await rm(folder, { recursive: true })
    expect(stdout).toContain(key)
    expect(await call(sshKeyApi.list, {})).toMatchObject([{ name: 'Analytical' }])
  })
})
