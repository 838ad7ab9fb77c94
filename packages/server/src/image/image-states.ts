import type { BootImage } from './boot-image.ts'

export type ImageStoreState =
  | { state: 'ready' }
  | { state: 'coming'; progress: number | null; what: string }
  | { state: 'unavailable'; reason: string }

/** Says what is done now, and how much of it: 0 to 1, or null where that is not known. */
export type Tell = (what: string, progress: number | null) => void

interface Making {
  result: Promise<BootImage>
  what: string
  progress: number | null
}

/** Which images are being made ready, how far that is, and what became of those that could not be. */
export function makeImageStates(now: () => number) {
  const making = new Map<string, Making>()
  const failures = new Map<string, { reason: string; at: number }>()

  return {
    isComing: (imageId: string): boolean => making.has(imageId),

    /** Lets work begin unless it is under way; whoever asks meanwhile gets the same result. */
    once(imageId: string, what: string, work: (tell: Tell) => Promise<BootImage>): Promise<BootImage> {
      const begun = making.get(imageId)
      if (begun) return begun.result
      const entry: Making = { what, progress: null, result: follow() }
      async function follow(): Promise<BootImage> {
        // Not before it is known to be under way.
        await null
        try {
          const image = await work((now, progress) => Object.assign(entry, { what: now, progress }))
          failures.delete(imageId)
          return image
        } catch (error) {
          failures.set(imageId, { reason: error instanceof Error ? error.message : `${error}`, at: now() })
          throw error
        } finally {
          making.delete(imageId)
        }
      }
      making.set(imageId, entry)
      return entry.result
    },

    coming(imageId: string): (ImageStoreState & { state: 'coming' }) | null {
      const begun = making.get(imageId)
      return begun ? { state: 'coming', progress: begun.progress, what: begun.what } : null
    },

    /** Why it could not be made last, if that was no longer ago. */
    failure(imageId: string, withinMs = Number.POSITIVE_INFINITY): ImageStoreState | null {
      const failure = failures.get(imageId)
      if (!failure || now() - failure.at > withinMs) return null
      return { state: 'unavailable', reason: failure.reason }
    },

    /** Resolves when nothing is under way any more. */
    async settle(): Promise<void> {
      await Promise.allSettled([...making.values()].map(({ result }) => result))
    },
  }
}
