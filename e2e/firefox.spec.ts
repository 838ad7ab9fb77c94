import { projectApi, sshKeyApi, vmApi } from '@slipway/contract'
import { type Firefox, hasFirefox, startFirefox } from './firefox.ts'
import { callWith, expect, join, test } from './fixtures.ts'
import { consolePath, vmListPath, vmPath } from './paths.ts'
import { newPublicKey } from './person.ts'

test.describe('in Firefox', () => {
  if (!hasFirefox) console.log('SKIPPED: firefox-esr is not installed here, so Firefox was not tested')
  test.skip(!hasFirefox, 'firefox-esr is not installed here')

  let firefox: Firefox | undefined
  test.afterEach(() => firefox?.close())

  test('one signs in, creates a VM, sees it run, types in its console and deletes it', async ({
    server,
    person,
    request,
  }) => {
    test.setTimeout(180_000)
    const call = callWith(request)
    await join(call, server, person)
    const project = await call(projectApi.create, { body: { name: 'Engines' } })
    await call(sshKeyApi.create, { body: { key_name: 'Laptop', ssh_public_key: newPublicKey() } })

    firefox = await startFirefox()
    const { goto, click, type, keys, expectText, path } = firefox
    await goto(`${server.url}/signin`)
    await type({ role: 'textbox', name: 'Email' }, person.email)
    await type({ css: 'input[type=password]' }, person.password)
    await click({ role: 'button', name: 'Sign In' })
    await expectText('Engines', 'main')
    expect(await path()).toBe('/')

    await goto(`${server.url}/create?template=starter`)
    await type({ role: 'textbox', name: 'Name' }, 'engine')
    await click({ role: 'button', name: 'Create VM' })
    await expectText('VM "engine" created successfully with SSH key configured!')
    await goto(server.url + vmListPath(project.id))
    await expectText('Running', 'article')
    const [vm] = await call(vmApi.list, { params: { projectId: project.id } })
    if (!vm) throw new Error('There is no VM')

    await goto(server.url + consolePath(vm))
    await expectText('root@engine:~#', '.xterm-rows')
    await click({ css: '.xterm-screen' })
    await keys('echo Ördnung 42\r')
    await expectText(/\nÖrdnung 42/, '.xterm-rows')

    await goto(server.url + vmPath(vm))
    await click({ role: 'button', name: 'More actions for engine' })
    await click({ role: 'menuitem', name: 'Delete VM' })
    await click({ role: 'button', name: 'Delete VM' })
    await expectText('VM "engine" deleted successfully')
    expect(await call(vmApi.list, { params: { projectId: project.id } })).toEqual([])
  })
})
