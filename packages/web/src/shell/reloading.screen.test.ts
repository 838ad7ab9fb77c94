/** What does not come from the server is told in words, and comes once it is asked for again. */
import {
  accountSettingsApi,
  apiTokenApi,
  binApi,
  type Endpoint,
  networkApi,
  projectApi,
  sshKeyApi,
  vmApi,
  webhookApi,
} from '@slipway/contract'
import { binPath, networkPath, vmPath, webhookListPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../screen/network.test-kit.ts'
import { test, visit } from '../screen/screen.test-kit.ts'
import { expectCount } from '../screen/shown.test-kit.ts'

const home = () => '/'
const account = () => '/account'

const all: readonly [
  what: string,
  endpoint: Endpoint,
  pathOf: (projectId: string) => string,
  failed: string,
  loaded: string,
][] = [
  ['projects at home', projectApi.list, home, 'Error Loading Projects', 'Engines'],
  ['projects on their page', projectApi.list, () => '/projects', 'Error Loading Projects', 'Engines'],
  ['VMs at home', vmApi.list, home, 'Failed to load VMs. Please try again.', 'Single VMs'],
  ['a VM', vmApi.get, noVm, 'Failed to load the VM. Please try again.', 'VM not found'],
  ['the bin', binApi.list, binPath, 'Error Loading the Bin', 'The bin is empty'],
  ['the network', networkApi.get, networkPath, 'The server says why', 'No VMs yet'],
  ['webhooks', webhookApi.list, webhookListPath, 'Failed to load the webhooks.', 'No webhooks yet'],
  ['sessions', accountSettingsApi.sessions, account, 'Failed to load sessions.', 'This session'],
  ['API tokens', apiTokenApi.list, account, 'Failed to load API tokens.', 'No API tokens yet.'],
  ['SSH keys', sshKeyApi.list, () => '/ssh-keys', 'Failed to load SSH keys.', 'No SSH Keys Yet'],
]

function noVm(projectId: string): string {
  return vmPath({ project_id: projectId, id: 'none' })
}

for (const [what, endpoint, pathOf, failed, loaded] of all) {
  test(`where ${what} cannot be loaded, it says so and can be asked again`, async ({ project }) => {
    const text = (shown: string) => page.getByRole('main').getByText(shown).first()
    const { end } = answer(endpoint, 500, failed === 'The server says why' ? { message: failed } : {})
    await visit(pathOf(project.id))
    await expect.element(text(failed)).toBeVisible()
    await expectCount(page.getByRole('main').getByText(loaded), 0)
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(text(loaded)).toBeVisible()
  })
}
