/** What the tests of pools and sets stand on: an app with a person, a project and a key. */
import { projectApi, sshKeyApi } from '@slipway/contract'
import { onTestFinished } from 'vitest'
import { makeTestApp, newPublicKey, type TestAppOptions } from './app.test-kit.ts'

export async function groupDesk(options: TestAppOptions = {}) {
  const app = await makeTestApp(options)
  onTestFinished(() => app.close())
  const ada = await app.signedIn()
  const { body: project } = await ada.call(projectApi.create, { body: { name: 'shop' } })
  const { body: key } = await ada.call(sshKeyApi.create, {
    body: { key_name: 'laptop', ssh_public_key: newPublicKey() },
  })
  return {
    app,
    ada,
    key,
    /** The parameters of calls in the project. */
    at: { projectId: project.id },
    /** What every group needs. */
    fields: { name: 'web', template_id: 'starter', ssh_key_id: key.id },
    settle: (ms = 30_000) => app.clock.advance(ms),
  }
}
