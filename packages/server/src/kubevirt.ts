/** The engine of a cluster with all it needs, after the settings. */
import { homedir } from 'node:os'
import type { Config } from './config.ts'
import type { Engine } from './engine/engine.ts'
import { recorderPlace } from './engine/kubevirt/consoles.ts'
import { findCluster } from './engine/kubevirt/find-cluster.ts'
import { makeForeignSources } from './engine/kubevirt/foreign-sources.ts'
import { readClusterImages } from './engine/kubevirt/image-keys.ts'
import { makeImages } from './engine/kubevirt/images.ts'
import { makeKubeClient } from './engine/kubevirt/kube/kube-client.ts'
import { makeKubevirtEngine } from './engine/kubevirt/kubevirt-engine.ts'
import type { Recipe } from './image/recipe.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'

const gibibyte = 1024 ** 3

/** Puts it together; it is not opened. Throws where the settings lead to no cluster. */
export async function kubevirtFor(config: Config, recipes: readonly Recipe[], log: Log): Promise<Engine> {
  const { kube } = config
  const cluster = await findCluster({ ...kube, home: homedir }, systemClock)
  const limits = {
    maxImageBytes: config.maxImageGb * gibibyte,
    maxVirtualBytes: config.maxDiskGb * gibibyte,
    privateSources: config.privateSources,
  }
  const images = await readClusterImages(recipes)
  const rootBytes = config.rootDiskGb * gibibyte
  return makeKubevirtEngine({
    client: makeKubeClient(cluster, { clock: systemClock }),
    prefix: kube.prefix,
    storageClass: kube.storageClass,
    snapshotClass: kube.snapshotClass,
    quota: kube.quota,
    networks: config.network !== 'off',
    rootBytes,
    clock: systemClock,
    log,
    sources: (ground) => makeForeignSources(ground, limits),
    images: (ground, sources) => makeImages(ground, { images, limits, sources, rootBytes }),
    recorder: recorderPlace(config.recorder, config.dataDir),
    prometheusUrl: kube.prometheusUrl,
  })
}
