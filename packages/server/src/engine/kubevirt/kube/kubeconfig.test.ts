import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directoryOfTest } from '../../../lib/directory.test-kit.ts'
import { makeHandClock } from '../../../lib/hand-clock.ts'
import { ownCluster } from './cluster.ts'
import { readKubeconfig } from './kubeconfig.ts'

/** A directory with these files. */
async function directoryWith(files: Record<string, string>): Promise<string> {
  const directory = directoryOfTest()
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  return directory
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A kubeconfig in YAML, with two contexts of which the second is current. */
const kubeconfig = (user: string, cluster = ''): string => `
apiVersion: v1
kind: Config
current-context: two
contexts:
- name: one
  context: {cluster: far, user: nobody}
- name: two
  context: {cluster: near, user: me, namespace: mine}
clusters:
- name: near
  cluster: {server: "https://kube.example.org:6443/prefix", certificate-authority-data: ${base64('CA')}${cluster}}
users:
- name: me
  user: ${user}
`

async function read(user: string, { cluster = '', files = {} } = {}) {
  const directory = await directoryWith({ config: kubeconfig(user, cluster), ...files })
  const clock = makeHandClock()
  return { clock, directory, cluster: await readKubeconfig(join(directory, 'config'), clock) }
}

describe('a kubeconfig', () => {
  it('names the cluster and the user of its current context', async () => {
    const { cluster } = await read(
      `{client-certificate-data: ${base64('CERT')}, client-key: key.pem, token: secret}`,
      { files: { 'key.pem': 'KEY' }, cluster: ', tls-server-name: kube' },
    )
    expect(cluster.server.href).toBe('https://kube.example.org:6443/prefix')
    expect(cluster.tls).toEqual({ ca: 'CA', servername: 'kube' })
    expect(cluster.namespace).toBe('mine')
    expect(await cluster.login()).toEqual({ cert: 'CERT', key: 'KEY', authorization: 'Bearer secret' })
  })

  it('can be JSON', async () => {
    const directory = await directoryWith({
      config: JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:8001' } }],
        users: [{ name: 'u', user: {} }],
      }),
    })
    const cluster = await readKubeconfig(join(directory, 'config'), makeHandClock())
    expect([cluster.tls, cluster.namespace, await cluster.login()]).toEqual([{}, 'default', {}])
  })

  it('has its token read anew after a minute, or when it was refused', async () => {
    const { cluster, clock, directory } = await read('{tokenFile: token}', { files: { token: 'one\n' } })
    const renew = (token: string) => writeFile(join(directory, 'token'), token)
    expect(await cluster.login()).toEqual({ authorization: 'Bearer one' })
    await renew('two')
    expect(await cluster.login()).toEqual({ authorization: 'Bearer one' })
    expect(await cluster.login(true)).toEqual({ authorization: 'Bearer two' })
    await renew('three')
    await clock.advance(61_000)
    expect(await cluster.login()).toEqual({ authorization: 'Bearer three' })
  })

  it('can name a program that logs in, which is asked again before what it gave expires', async () => {
    const credential = {
      token: 't',
      expirationTimestamp: new Date(makeHandClock().now() + 600_000).toISOString(),
    }
    const script = `echo asked >> asked; [ "$MODE" = "$1" ] && echo '${JSON.stringify({ status: credential })}'`
    const exec = `{apiVersion: client.authentication.k8s.io/v1, command: sh, args: [-c, 'cd "$2" && . ./login', sh, good, DIR], env: [{name: MODE, value: good}]}`
    const directory = await directoryWith({ login: script })
    await writeFile(join(directory, 'config'), kubeconfig(`{exec: ${exec.replace('DIR', directory)}}`))
    const clock = makeHandClock()
    const cluster = await readKubeconfig(join(directory, 'config'), clock)
    const asked = async () => (await readFile(join(directory, 'asked'), 'utf8')).trim().split('\n').length
    expect(await cluster.login()).toEqual({ authorization: 'Bearer t' })
    await clock.advance(500_000)
    await cluster.login()
    expect(await asked()).toBe(1)
    await clock.advance(100_000)
    await cluster.login()
    expect(await asked()).toBe(2)
  })

  it.each([
    ['{username: me, password: x}', '', 'user.username is not understood'],
    ['{as: somebody}', '', 'user.as is not understood'],
    ['{token: x}', ', proxy-url: "http://proxy"', 'cluster.proxy-url is not understood'],
    ['[', '', 'it is neither JSON nor YAML'],
  ])('with %s%s is refused instead of being half understood', async (user, cluster, message) => {
    await expect(read(user, { cluster })).rejects.toThrow(message)
  })

  it('that is not there says so', async () => {
    await expect(readKubeconfig('/nowhere/config', makeHandClock())).rejects.toThrow(
      '/nowhere/config cannot be read',
    )
  })
})

describe('the account of a pod', () => {
  it('is found where Kubernetes puts it', async () => {
    const directory = await directoryWith({ token: 'pod\n', 'ca.crt': 'CA', namespace: 'slipway\n' })
    const clock = makeHandClock()
    const cluster = await ownCluster({ host: 'fd00::1', port: '443', directory }, clock)
    expect(cluster.server.href).toBe('https://[fd00::1]/')
    expect([cluster.tls, cluster.namespace]).toEqual([{ ca: 'CA' }, 'slipway'])
    expect(await cluster.login()).toEqual({ authorization: 'Bearer pod' })
    await expect(ownCluster({ host: undefined, port: undefined }, clock)).rejects.toThrow(
      'Not inside of a cluster',
    )
  })
})
