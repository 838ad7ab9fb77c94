import { describe, expect, test } from 'vitest'
import { kinds } from './kinds.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { KubeError, type KubeErrorKind } from './kube/kube-error.ts'
import { makeOnce, removeOnce } from './removal.ts'

const metadata = { name: 'disk-1', namespace: 'p' }
const fails = (kind: KubeErrorKind) => () => Promise.reject(new KubeError(kind, kind))
const over = (client: Partial<KubeClient>) => ({ client: client as KubeClient })
const make = (client: Partial<KubeClient>) =>
  makeOnce(over(client), kinds.claims, 'p', { kind: 'PersistentVolumeClaim', metadata, spec: {} })
/** As the cluster has it. */
const get: KubeClient['get'] = <T>() => Promise.resolve({ metadata: { ...metadata, uid: 'u' } } as T)

describe('making an object that may be there', () => {
  test.each(['exists', 'refused'] as const)('one that is there (%s) is ours', async (kind) => {
    expect(await make({ create: fails(kind), get })).toMatchObject({ metadata: { uid: 'u' } })
  })

  test('what is refused and not there stays refused', async () => {
    const making = make({ create: fails('refused'), get: fails('not-found') })
    await expect(making).rejects.toMatchObject({ kind: 'refused' })
  })

  test('other failures are told, and a lost connection is tried again', async () => {
    await expect(make({ create: fails('quota'), get })).rejects.toMatchObject({ kind: 'quota' })
    let repeats: boolean | undefined
    const create: KubeClient['create'] = <T>(
      _: unknown,
      __: unknown,
      ___: unknown,
      wish?: { repeat?: boolean },
    ) => {
      repeats = wish?.repeat
      return Promise.resolve({ metadata } as T)
    }
    await make({ create })
    expect(repeats).toBe(true)
  })
})

test('removing what is gone is a success, and nothing else is', async () => {
  await removeOnce(over({ remove: fails('not-found') }), kinds.claims, metadata)
  const removing = removeOnce(over({ remove: fails('forbidden') }), kinds.claims, metadata)
  await expect(removing).rejects.toMatchObject({ kind: 'forbidden' })
})
