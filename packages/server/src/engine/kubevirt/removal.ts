/** Making objects that may be there already, and removing those that may be gone already. */
import { EngineError } from '../engine.ts'
import { inOurWords } from './failure.ts'
import type { Ground } from './ground.ts'
import type { RemoveOptions } from './kube/kube-client.ts'
import { isKube } from './kube/kube-error.ts'
import type { At, Kind, KubeObject, Unsaved } from './kube/objects.ts'
import type { Reflector } from './kube/reflector.ts'
import type { Mirrored } from './mirror.ts'
import { whenMirrored } from './mirror-wait.ts'

/**
 * Makes an object under a name of ours. One that exists is the same one: of an earlier try, or of another call. CDI tells of
 * it by refusing a DataVolume whose claim is there.
 */
export async function makeOnce<T extends KubeObject>(
  { client }: Pick<Ground, 'client'>,
  kind: Kind<T>,
  namespace: string,
  object: Unsaved<T> & { metadata: { name: string } },
): Promise<T> {
  try {
    // When the connection is lost, nobody knows whether it was made: one that exists then is ours as well.
    return await client.create(kind, namespace, object, { repeat: true })
  } catch (error) {
    if (!isKube(error, 'exists', 'refused')) throw error
    return client.get(kind, { namespace, name: object.metadata.name }).catch((missing) => {
      throw isKube(missing, 'not-found') ? error : missing
    })
  }
}

/** The same for what is written and never read back, such as secrets. */
export async function makeUnread<T extends KubeObject>(
  { client }: Pick<Ground, 'client'>,
  kind: Kind<T>,
  namespace: string,
  object: Unsaved<T> & { metadata: { name: string } },
): Promise<void> {
  try {
    await client.create(kind, namespace, object, { repeat: true })
  } catch (error) {
    if (!isKube(error, 'exists')) throw error
  }
}

/** Tells an object to go. One that is gone is as good. */
export async function removeOnce(
  { client }: Pick<Ground, 'client'>,
  kind: Kind,
  at: At,
  options?: RemoveOptions,
): Promise<void> {
  try {
    await client.remove(kind, at, options)
  } catch (error) {
    if (!isKube(error, 'not-found')) throw error
  }
}

/** How long the cluster may take to let go of something that nobody uses. */
const goneMs = 60_000

/** Tells the objects of an id to go, and resolves when they are gone; throws a retryable error when that takes too long. */
export async function removeWhole<O extends KubeObject, T extends Mirrored>(
  ground: Pick<Ground, 'client' | 'clock'>,
  what: { kind: Kind<O>; kept: Reflector<O, T, 'id'>; id: string; doing: string },
  options?: RemoveOptions,
): Promise<void> {
  const { kind, kept, id, doing } = what
  const left = () => kept.by('id', id)
  for (const at of left()) await inOurWords(doing, () => removeOnce(ground, kind, at, options))
  const gone = await whenMirrored(ground.clock, [kept], () => (left().length === 0 ? true : null), {
    ms: goneMs,
  })
  if (!gone) throw new EngineError('internal', `${doing} The cluster still holds it.`, { retryable: true })
}
