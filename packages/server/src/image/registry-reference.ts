import { ImportError } from './import-error.ts'

/** A parsed image reference: `docker.io/library/alpine:3.20` and its short forms. */
export interface Reference {
  /** Host, with its port if one is named. */
  registry: string
  repository: string
  /** A tag, or a digest `sha256:…`. */
  version: string
}

/**
 * Reads an image reference by the grammar of the distribution project (reference.go), with Docker's short forms:
 * without a host it is Docker Hub, there without a user it is `library`, and without a tag it is `latest`. Transports
 * (`docker-archive:`, `dir:`) are no references. Throws an ImportError.
 */
export function parseReference(image: string): Reference {
  const [named = '', digest, ...rest] = image.trim().split('@')
  const tagAt = named.lastIndexOf(':')
  const hasTag = tagAt > named.lastIndexOf('/')
  const name = hasTag ? named.slice(0, tagAt) : named
  const tag = hasTag ? named.slice(tagAt + 1) : null

  const [first = '', ...others] = name.split('/')
  const isHost = others.length > 0 && (/[.:A-Z]/.test(first) || first === 'localhost')
  const isHub = !isHost || first === 'docker.io' || first === 'index.docker.io'
  const path = isHost ? others : [first, ...others]
  const repository = (isHub && path.length === 1 ? ['library', ...path] : path).join('/')

  const good =
    name.length <= 255 &&
    rest.length === 0 &&
    (!isHost || HOST.test(first)) &&
    path.every((component) => COMPONENT.test(component)) &&
    (tag === null || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest))
  if (!good) {
    throw new ImportError(
      'Enter the name of a container image, such as "registry.example.com/team/image:1.0".',
    )
  }
  return { registry: isHub ? HUB : first, repository, version: digest ?? tag ?? 'latest' }
}

/** Where Docker Hub, `docker.io`, answers. */
const HUB = 'registry-1.docker.io'

const HOST = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?$/i
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/
