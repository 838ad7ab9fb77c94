import type { Clock } from '../../lib/clock.ts'
import type { ImageLook, ImageState } from '../engine.ts'

const FETCH_MS = 4000
const SLOW_MS = 60_000

/** How large root disks are that are made of an image. */
export const imageRootBytes = (imageId: string): number => (imageId === 'starter' ? 4 : 20) * 1024 ** 3

/**
 * Boot images that are not there: those of recipes are ready at once, those at addresses after some seconds. An
 * address with `slow` in it takes a minute, one with `fault-refused` fails while it is fetched, and one with
 * `fault-look` is refused at the first look.
 */
export function makeSimulatedImages({ clock, span }: { clock: Clock; span: (ms: number) => number }) {
  const begun = new Map<string, number>()
  let forced: ImageState | null = null

  function stateOf(imageId: string): ImageState | { state: 'absent' } {
    if (forced) return forced
    if (!/^https?:/i.test(imageId)) return { state: 'ready' }
    const since = begun.get(imageId)
    if (since === undefined) return { state: 'absent' }
    const takes = span(imageId.includes('slow') ? SLOW_MS : FETCH_MS)
    const progress = (clock.now() - since) / takes
    if (imageId.includes('fault-refused') && progress >= 0.5) {
      return {
        state: 'unavailable',
        reason: 'The image refers to another file, so it was refused (simulated).',
      }
    }
    if (progress >= 1) return { state: 'ready' }
    return { state: 'coming', progress, what: `Downloading the image from ${new URL(imageId).host}` }
  }

  return {
    /** Puts every image into one state; null ends that. */
    force(state: ImageState | null) {
      forced = state
    },

    async image(imageId: string, again = false): Promise<ImageState> {
      const now = stateOf(imageId)
      if (now.state !== 'absent' && !(again && now.state === 'unavailable')) return now
      begun.set(imageId, clock.now())
      const begins = stateOf(imageId)
      return begins.state === 'absent' ? { state: 'ready' } : begins
    },
    async lookAtImage(imageId: string) {
      const now = stateOf(imageId)
      return now.state === 'ready' ? { ...now, rootBytes: imageRootBytes(imageId) } : now
    },

    async checkImage(address: string): Promise<ImageLook> {
      if (address.includes('fault-look')) {
        return { refused: 'There is no file at this URL: the server responded with 404 (simulated).' }
      }
      const ending = /\.(\w+)(?:[?#]|$)/.exec(new URL(address).pathname)?.[1]?.toLowerCase()
      const format = ending === 'raw' || ending === 'iso' ? ending : 'qcow2'
      return { format, downloadBytes: 612 * 1024 ** 2, virtualBytes: 3.5 * 1024 ** 3 }
    },
  }
}
