/** Something to look at on the simulated engine: an account, projects and VMs in many states. */
import type { FastifyInstance } from 'fastify'
import { verifyAccount } from './account/account.writes.ts'
import type { Db } from './db/open.ts'
import { isoTime, systemClock } from './lib/clock.ts'

export const demo = { email: 'demo@slipway.test', password: 'Slipway-demo-1' }

const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFNsaXB3YXkgZGVtbyBrZXksIG5vdCBmb3IgdXNlLi4u demo@slipway'

/** Names that start with `fault-` bring their fault along; see the simulated engine. */
const names = [
  'checkout-api-01',
  'payments-ledger-reconciliation-worker-eu-north-canary',
  'geo-tiles-build',
  'fault-no-space',
  'fault-crash',
  'docs-preview',
  'ci-runner-a',
  'قاعدة البيانات',
  'fault-never-ready',
]

/** Disks of every source; one whose image is refused. */
const disks = [
  {
    name: 'ledger-data',
    size: '40Gi',
    source: 'EMPTY',
    description: 'Postgres data directory of the ledger',
  },
  { name: 'ubuntu-noble', size: '10GB', source: 'HTTP', image_url: 'https://images.example.org/noble.img' },
  { name: 'tools', size: '10GB', source: 'REGISTRY', image_url: 'quay.io/example/tools:1.4' },
  {
    name: 'imported',
    size: '10GB',
    source: 'HTTP',
    image_url: 'https://images.example.org/fault-refused.qcow2',
  },
]

const pools = [
  { name: 'ci-runners', description: 'Builds of the shop', min_size: 2, desired_size: 3, max_size: 8 },
  {
    name: 'fault-crash-workers',
    description: 'Their guest crashes while it boots',
    min_size: 1,
    desired_size: 2,
    max_size: 4,
    auto_scaling: false,
    persistent: false,
  },
]
const sets = [
  {
    name: 'etcd',
    description: 'Keeps the cluster state',
    replicas: 3,
    disks: [{ name: 'state', size: '10Gi' }],
  },
]

/** Fills an empty database; one that has accounts is left alone. */
export async function seed(app: FastifyInstance, db: Db): Promise<void> {
  if (await db.selectFrom('account').select('id').executeTakeFirst()) return
  let cookie = ''
  async function post(url: string, payload: object): Promise<{ id: string }> {
    const response = await app.inject({ method: 'POST', url, payload, headers: { cookie } })
    if (response.statusCode >= 300) throw new Error(`seeding ${url}: ${response.body}`)
    const session = response.cookies[0]
    if (session) cookie = `${session.name}=${session.value}`
    return response.json()
  }
  await post('/api/auth/signup', { name: 'Ines Halvorsen', ...demo })
  const account = await db.selectFrom('account').select('id').executeTakeFirstOrThrow()
  await db.transaction().execute((tx) => verifyAccount(tx, account.id, isoTime(systemClock.now())))
  await post('/api/auth/signin', demo)
  const key = await post('/api/user/ssh-keys', { key_name: 'ines-thinkpad', ssh_public_key: publicKey })
  const project = await post('/api/projects', {
    name: 'checkout-platform',
    description: 'Shop front and its workers',
  })
  await post('/api/projects', { name: 'playground' })
  for (const [i, name] of names.entries()) {
    await post(`/api/projects/${project.id}/vms`, {
      name,
      template_id: 'starter',
      ssh_key_id: key.id,
      persistent: i % 3 !== 2,
    })
  }
  for (const disk of disks) await post(`/api/projects/${project.id}/disks`, disk)
  const group = { template_id: 'starter', ssh_key_id: key.id }
  for (const pool of pools) await post(`/api/projects/${project.id}/vmpools`, { ...group, ...pool })
  for (const set of sets) await post(`/api/projects/${project.id}/vmsets`, { ...group, ...set })
}
