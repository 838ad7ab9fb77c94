import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vmApi } from '@slipway/contract'
import { strangersOf } from '../cluster.ts'
import { newClusterHome } from '../cluster-home.ts'
import { startProgram } from '../program.ts'
import { clear, greeting, newDataDir, startRealServer } from './real.ts'
import { nothing, usable } from './storage.ts'
import type { World } from './world.ts'

/** What a project has of its own: the first three are ours, the others Kubernetes' own in every namespace. */
const ofProject = /^(namespaces|networkpolicies|services|serviceaccounts|configmaps) /
/** The names of VMs that run. */
const namesOfVms = /^endpointslices .*\/vms-ipv4-0$/
/** In the namespace of boot images, for as long as there is one: the image, and the right to copy it. */
const ofImages = /^(namespaces|serviceaccounts|configmaps|roles) |\/image-/

const instances = '/apis/kubevirt.io/v1/virtualmachineinstances'
const machineLabel = 'slipway.org/id'

/** Guests on a cluster, in namespaces of this journey alone, with a recorder that outlives servers. */
export async function newClusterWorld(): Promise<World> {
  const { cluster, prefix, isOurs, ...home } = await newClusterHome()
  const guestCommand = process.env.SLIPWAY_TEST_GUEST_COMMAND
  const dataDir = await newDataDir()
  const settings = { ...home.settings, SLIPWAY_RECORDER_TOKEN: randomBytes(16).toString('hex') }
  const images = `${prefix}-images`
  const isOfProject = (namespace: string) => isOurs(namespace) && namespace !== images

  const recorderDir = join(dataDir, 'recorder')
  await mkdir(recorderDir)
  const recorder = await startProgram('recorder.ts', /The recorder is ready at port (\d+)/, {
    ...settings,
    SLIPWAY_RECORDER_HOST: '127.0.0.1',
    SLIPWAY_RECORDER_PORT: '0',
    SLIPWAY_DATA_DIR: recorderDir,
  })

  const running = async () =>
    (await cluster.list(instances)).filter(({ metadata, status }) => {
      const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed'
      return isOurs(metadata.namespace ?? '') && !isOver
    })
  return {
    dataDir,
    start: (more) =>
      startRealServer(dataDir, {
        ...settings,
        SLIPWAY_RECORDER_URL: `http://127.0.0.1:${recorder.ready}`,
        ...more,
      }),
    async guests() {
      return (await running()).map(({ metadata }) => ({
        machineId: metadata.labels?.[machineLabel] ?? '',
        run: metadata.uid,
      }))
    },
    async left(had = nothing) {
      const things = await cluster.contents(isOfProject)
      const ids = [had.vms, usable(had.disks), usable(had.vmSnapshots), usable(had.diskSnapshots)]
        .flat()
        .map(({ id }) => id)
      const isOfVms = (name: string) => had.vms.length > 0 && namesOfVms.test(name)
      return strangersOf(
        things,
        (name) => ofProject.test(name) || isOfVms(name) || ids.some((id) => name.includes(id)),
      )
    },
    async leftOfProjects() {
      const isOfImages = (name: string) => name.includes(` ${images}/`) && ofImages.test(name)
      return strangersOf(await cluster.contents(isOurs), isOfImages)
    },
    async crash(machineId) {
      const found = (await running()).find(({ metadata }) => metadata.labels?.[machineLabel] === machineId)
      if (!found) return
      const [program = '', ...words] = (guestCommand ?? '').split(' ')
      const { namespace, name } = found.metadata
      await promisify(execFile)(program, [...words, `${namespace}/${name}`, 'crash'])
    },
    crashIsReboot: true,
    played: guestCommand ? 'the guests of this cluster are played' : null,
    async openShell({ must, of, settled, params }, vmId) {
      const [annotation, value] = (process.env.SLIPWAY_TEST_SHELL_ANNOTATION ?? '').split('=')
      if (!guestCommand) return greeting
      if (!annotation) return null
      await must(vmApi.stop, { ...of(vmId), body: { force: true } })
      await settled(vmId)
      const path = `/apis/kubevirt.io/v1/namespaces/${prefix}-${params.projectId}/virtualmachines/vm-${vmId}`
      await cluster.merge(path, { metadata: { annotations: { [annotation]: value } } })
      await must(vmApi.start, of(vmId))
      await settled(vmId)
      return '# '
    },
    async close() {
      await recorder.end('SIGTERM')
      await home.remove()
      await clear(dataDir)
    },
  }
}
