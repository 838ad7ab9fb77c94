/** Boot images and sources of a cluster for tests that are about neither: all are there, and all may be fetched from. */
import type { ForeignSources } from './foreign-sources.ts'
import type { ImageClaim, Images } from './images.ts'

export const imagesOf = (claim: ImageClaim): Images => ({
  image: async () => ({ state: 'ready' }),
  lookAtImage: async () => ({ state: 'ready' }),
  checkImage: () => Promise.reject(new Error('Nothing is checked here')),
  claimOf: () => claim,
})

/** @param bytes the size of every disk that is fetched */
export const anySource = (bytes: number): ForeignSources => ({
  url: async (url) => ({ url, sha256: null, bytes }),
  registry: async (name) => `docker://${name}`,
  guard: async () => {},
})
