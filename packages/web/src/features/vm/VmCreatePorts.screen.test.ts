import { type Host, hostApi, shareApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { call, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectDisabled, expectText, toasts } from '../../screen/shown.test-kit.ts'

/** An engine that cannot do something. */
async function withLimit(limit: Partial<Host['cannot']>): Promise<void> {
  const host = await call(hostApi.get, {})
  answer(hostApi.get, 200, { ...host, cannot: { ...host.cannot, ...limit } })
}

describe('ports to share, in the create form', () => {
  const portsOf = () => page.getByLabelText('Ports to share')
  const create = () => page.getByRole('button', { name: 'Create VM' })

  test('are shared with the VM', async ({ project, sshKey: _ }) => {
    await visit(`/create?template=${templateId}`)
    await page.getByLabelText('Name', { exact: true }).fill('shop')
    await expect.element(portsOf()).toHaveAccessibleDescription(/at an address of their own/)
    await portsOf().fill('3000, 70000')
    await expect.element(create()).toHaveAccessibleDescription('Enter a port from 1 to 65535')
    ;(portsOf().element() as HTMLElement).blur()
    await expect.element(portsOf()).toHaveAccessibleDescription('Enter a port from 1 to 65535')
    await portsOf().fill('3000, 5173')
    await create().click()
    await expectText(toasts(), 'created successfully')
    const shares = await call(shareApi.list, { params: { projectId: project.id } })
    expect(shares.map(({ port, audience }) => [port, audience])).toEqual([
      [3000, 'project'],
      [5173, 'project'],
    ])
  })

  test('are not offered where the engine cannot share', async ({ project: _ }) => {
    const sentence = 'This engine shares no ports. Use an SSH tunnel.'
    await withLimit({ ports: sentence })
    await visit(`/create?template=${templateId}`)
    await expectDisabled(portsOf(), sentence)
  })
})
