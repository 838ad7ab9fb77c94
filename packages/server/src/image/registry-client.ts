import { createHash } from 'node:crypto'
import { z } from 'zod'
import { download } from './download.ts'
import {
  type Answer,
  type Fetching,
  failureOf,
  get,
  persist,
  readShort,
  refusalOf,
} from './download-request.ts'
import { ImportError } from './import-error.ts'
import type { Reference } from './registry-reference.ts'

/** A blob of the registry, as manifests name them. */
const Descriptor = z.object({
  mediaType: z.string(),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  size: z.int().nonnegative(),
})
export type Descriptor = z.infer<typeof Descriptor>

const Manifest = z.object({ config: Descriptor, layers: z.array(Descriptor).max(1000) })
export type Manifest = z.infer<typeof Manifest>

const Platform = z.object({ os: z.string(), architecture: z.string() })
const Index = z.object({ manifests: z.array(Descriptor.extend({ platform: Platform.optional() })) })

const MANIFESTS = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]
const INDEXES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]

/** What the OCI distribution specification asks registries to hold at least; no honest manifest is larger. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024

/**
 * Anonymous pulls by the OCI distribution specification and Docker's token authentication. A pull is three kinds of
 * GET; they are made here and not by a program such as skopeo, so that every connection, those to token servers and
 * redirects of a hostile registry too, goes through the same source policy. (An in-process proxy would not see all:
 * programs in Go never use one for loopback addresses.)
 */
export function makeRegistryClient({ registry, repository }: Reference, fetching: Fetching) {
  let authorization: string | null = null
  let base: Promise<URL> | null = null

  /** The API's address. Registries speak https; plain http is tried only with one that the operator lists. */
  const findBase = async (): Promise<URL> => {
    const secure = new URL(`https://${registry}/v2/`)
    if (!fetching.policy.isListed(secure.hostname)) return secure
    const plain = new URL(`http://${registry}/v2/`)
    const isSecure = await get(secure, {}, fetching).then(
      ({ response }) => {
        response.destroy()
        return true
      },
      // A certificate that proves nothing is no reason to do without any.
      (error) => !failureOf(error).retryable,
    )
    fetching.signal.throwIfAborted()
    return isSecure ? secure : plain
  }

  const urlOf = async (kind: 'manifests' | 'blobs', id: string): Promise<URL> => {
    base ??= findBase()
    return new URL(`${repository}/${kind}/${id}`, await base)
  }

  /** A GET that gets itself a token where the registry asks for one, or for a newer one. */
  async function ask(url: URL, headers: Record<string, string>): Promise<Answer> {
    const send = () => get(url, authorization === null ? headers : { ...headers, authorization }, fetching)
    let answer = await send()
    if (answer.response.statusCode === 401) {
      answer.response.destroy()
      authorization = await authorize(answer)
      answer = await send()
    }
    const { statusCode = 0 } = answer.response
    if ([401, 403, 404].includes(statusCode)) {
      answer.response.destroy()
      throw new ImportError('The registry does not have this image, or it requires a login.')
    }
    return answer
  }

  async function authorize({ response, url }: Answer): Promise<string> {
    const challenge = response.headers['www-authenticate'] ?? ''
    const fields = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )
    if (!/^bearer\s/i.test(challenge) || !fields.realm || !URL.canParse(fields.realm)) {
      throw new ImportError('The registry requires a login for this image.')
    }
    const realm = new URL(fields.realm)
    fetching.policy.check(realm, url)
    if (fields.service) realm.searchParams.set('service', fields.service)
    realm.searchParams.set('scope', `repository:${repository}:pull`)
    const answer = await get(realm, {}, fetching)
    if (answer.response.statusCode !== 200) throw refusalOf(answer)
    const given = Token.safeParse(parseJson(await readShort(answer, MAX_MANIFEST_BYTES)))
    if (!given.success) throw new ImportError('The registry requires a login for this image.')
    return `Bearer ${given.data.token ?? given.data.access_token}`
  }

  async function fetchJson(kind: 'manifests' | 'blobs', id: string, accept: string) {
    const url = await urlOf(kind, id)
    const bytes = await persist(fetching, async () => {
      const answer = await ask(url, { accept })
      if (answer.response.statusCode !== 200) throw refusalOf(answer)
      return readShort(answer, MAX_MANIFEST_BYTES)
    })
    const digest = digestOf(bytes)
    if (id.startsWith('sha256:') && id !== digest) throw wrongBytes()
    return { bytes, digest, json: parseJson(bytes) }
  }

  return {
    /** The manifest of an image, for Linux on x64 where there are several, and its digest. */
    async manifest(version: string): Promise<{ digest: string; manifest: Manifest }> {
      const accept = [...MANIFESTS, ...INDEXES].join(', ')
      let found = await fetchJson('manifests', version, accept)
      const index = Index.safeParse(found.json)
      if (index.success) {
        const fitting = index.data.manifests.find(
          ({ platform, mediaType }) =>
            platform?.os === 'linux' && platform.architecture === 'amd64' && MANIFESTS.includes(mediaType),
        )
        if (!fitting) throw new ImportError('The image is not available for Linux on x64 (amd64).')
        found = await fetchJson('manifests', fitting.digest, accept)
      }
      const manifest = Manifest.safeParse(found.json)
      if (!manifest.success) throw new ImportError('The object in the registry is not a container image.')
      return { digest: found.digest, manifest: manifest.data }
    },

    /** A short blob, checked against its digest. */
    async blob({ digest }: Descriptor): Promise<Buffer> {
      return (await fetchJson('blobs', digest, '*/*')).bytes
    },

    /** Fetches a blob into a new file and checks it against its digest. */
    async download({ digest, size }: Descriptor, path: string, onBytes: (received: number) => void) {
      const url = await urlOf('blobs', digest)
      const { sha256 } = await download({
        ...fetching,
        ask: (headers) => ask(url, headers),
        path,
        maxBytes: size,
        onProgress: onBytes,
      })
      if (`sha256:${sha256}` !== digest) throw wrongBytes()
    },
  }
}

const Token = z
  .object({ token: z.string().optional(), access_token: z.string().optional() })
  .refine(({ token, access_token }) => token !== undefined || access_token !== undefined)

export const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

const wrongBytes = () => new ImportError('The registry sent data that does not match its manifest.')

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new ImportError('The response of the registry could not be read.')
  }
}
