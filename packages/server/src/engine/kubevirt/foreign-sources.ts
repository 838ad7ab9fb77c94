/**
 * What the server sees to before the cluster fetches from a foreign address. It asks the address itself, by the rules that
 * hold on one host: names are looked up, redirects followed, and private addresses refused unless the operator lists them.
 *
 * What that cannot rule out: the importer looks the name up once more, and follows redirects of its own. So its pods get a
 * network policy that lets them out to nothing but the public Internet, DNS and what the operator lists by address. A
 * cluster whose network enforces no policies lacks that second wall, and registries are pulled from by the nodes of some
 * installations of CDI, which no policy of a namespace concerns.
 */
import { isDeepStrictEqual } from 'node:util'
import { makeSourcePolicy, type SourcePolicy } from '../../image/download-policy.ts'
import { usualPace } from '../../image/download-request.ts'
import { lookAtImage } from '../../image/foreign-look.ts'
import { readImageAddress } from '../../image/image-address.ts'
import { ImportError } from '../../image/import-error.ts'
import { hostOf, specialRangesV4 } from '../../lib/public-hosts.ts'
import { EngineError } from '../engine.ts'
import type { Ground } from './ground.ts'
import { kinds, type NetworkPolicy } from './kinds.ts'
import { dnsPorts } from './project-policy.ts'
import { makeOnce } from './removal.ts'

export interface ForeignSources {
  /** The address as the importer gets it; `bytes` is the size of the disk, null where it does not show yet. */
  url(
    text: string,
    signal: AbortSignal,
  ): Promise<{ url: string; sha256: string | null; bytes: number | null }>
  /** A container image as the importer gets it. */
  registry(image: string, signal: AbortSignal): Promise<string>
  /** Sees to it that importers in a namespace reach only what they may. */
  guard(namespace: string, projectId: string): Promise<void>
}

export interface ForeignLimits {
  maxImageBytes: number
  maxVirtualBytes: number
  /** Host names, addresses or CIDR ranges that may be fetched from although they are private. */
  privateSources: readonly string[]
}

export function makeForeignSources(
  ground: Pick<Ground, 'client' | 'names'>,
  limits: ForeignLimits,
): ForeignSources {
  const policy = makeSourcePolicy(limits.privateSources)

  return {
    url: (text, signal) =>
      refusing(async () => {
        const look = await lookAtImage(text, { limits, policy, signal, pace: usualPace, bootable: false })
        const { url, sha256 } = readImageAddress(text)
        return { url: url.href, sha256, bytes: look.virtualBytes }
      }),

    registry: (image, signal) =>
      refusing(async () => {
        signal.throwIfAborted()
        await requireReachable(new URL(`https://${registryOf(image)}`), policy)
        return `docker://${image}`
      }),

    async guard(namespace, projectId) {
      const spec = importerPolicy(limits.privateSources)
      const labels = ground.names.labels('project', projectId, projectId)
      const made = await makeOnce(ground, kinds.networkPolicies, namespace, {
        kind: 'NetworkPolicy',
        metadata: { name: 'importers', labels },
        spec,
      })
      if (isDeepStrictEqual(made.spec, spec)) return
      const change = [{ op: 'replace', path: '/spec', value: spec } as const]
      await ground.client.patch(kinds.networkPolicies, { namespace, name: 'importers' }, change)
    },
  }
}

/** Where a container image is pulled from: what stands before the first slash when it looks like a host. */
export function registryOf(image: string): string {
  const [first = '', ...rest] = image.split('/')
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  return isHost ? first : 'registry-1.docker.io'
}

/** What the pods that import may reach. Ranges that the operator lists count; names cannot be said in a policy. */
export function importerPolicy(privateSources: readonly string[]): NetworkPolicy['spec'] {
  const listed = privateSources.filter((source) => /^[\d.]+(\/\d+)?$|:/.test(source))
  const wide = (source: string) =>
    source.includes('/') ? source : `${source}/${source.includes(':') ? 128 : 32}`
  return {
    podSelector: { matchLabels: { 'cdi.kubevirt.io': 'importer' } },
    policyTypes: ['Egress'],
    egress: [
      {
        to: [
          {
            ipBlock: { cidr: '0.0.0.0/0', except: specialRangesV4.map(([base, bits]) => `${base}/${bits}`) },
          },
          { ipBlock: { cidr: '2000::/3', except: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] } },
          ...listed.map((source) => ({ ipBlock: { cidr: wide(source) } })),
        ],
      },
      {
        ports: dnsPorts,
      },
    ],
  }
}

/** Throws unless the host has an address that may be fetched from. */
function requireReachable(url: URL, policy: SourcePolicy): Promise<void> {
  policy.check(url)
  return new Promise((resolve, reject) => {
    policy.lookup(hostOf(url), { all: true }, (error) => {
      if (error === null) return resolve()
      const unknown = new ImportError('The server of the image was not found.', {
        retryable: true,
        cause: error,
      })
      reject(error instanceof ImportError ? error : unknown)
    })
  })
}

async function refusing<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    const { retryable } = error
    throw new EngineError('source-refused', error.message, { retryable, cause: error })
  }
}
