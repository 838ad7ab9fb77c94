import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, openCluster } from './cluster.ts'
import { imagesDir } from './images-dir.ts'
import { runProgram } from './program.ts'

/** The cluster that tests may work on; `E2E_KUBECONFIG` goes before that of all cluster tests. */
export const kubeconfigOfTests = (): string | undefined =>
  process.env.E2E_KUBECONFIG || process.env.SLIPWAY_TEST_KUBECONFIG

/** Namespaces for one installation on the cluster of the tests, with the boot image of the first template. */
export interface ClusterHome {
  cluster: Cluster
  prefix: string
  /** How its programs find it. */
  settings: Record<string, string>
  isOurs: (namespace: string) => boolean
  /** Removes the namespaces with all that is in them. */
  remove: () => Promise<void>
}

export async function newClusterHome(): Promise<ClusterHome> {
  const kubeconfig = kubeconfigOfTests()
  if (!kubeconfig) throw new Error('Set E2E_KUBECONFIG to the kubeconfig of a cluster for tests.')
  const cluster = await openCluster(kubeconfig)
  const prefix = `e2e-${randomBytes(4).toString('hex')}`
  const settings = {
    SLIPWAY_ENGINE: 'kubevirt',
    SLIPWAY_KUBECONFIG: kubeconfig,
    SLIPWAY_KUBE_PREFIX: prefix,
  }
  // As an operator does it, with the image that all test runs share; it is built where it is missing.
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-upload-'))
  await mkdir(imagesDir, { recursive: true })
  await symlink(imagesDir, join(dataDir, 'images'))
  await runProgram('images.ts', ['--upload', 'starter'], { ...settings, SLIPWAY_DATA_DIR: dataDir })
  await rm(dataDir, { recursive: true })
  const isOurs = (namespace: string) => namespace.startsWith(`${prefix}-`)
  return {
    cluster,
    prefix,
    settings,
    isOurs,
    async remove() {
      const namespaces = await cluster.list('/api/v1/namespaces')
      for (const { metadata } of namespaces.filter((one) => isOurs(one.metadata.name)))
        await cluster.remove(`/api/v1/namespaces/${metadata.name}`)
      cluster.close()
    },
  }
}
