/** What a refusal of the cluster means to Slipway: a code, whether trying again can help, a sentence for a person. */
import { EngineError, type EngineErrorCode } from '../engine.ts'
import { KubeError } from './kube/kube-error.ts'

/** What is said where a ResourceQuota has no room left; the cluster tells so in a refusal, a condition or an event. */
export const quotaUsedUp = 'The quota of the project in the cluster is used up.'
export const isOfQuota = (message: string): boolean => /exceeded quota/i.test(message)

/** KubeVirt lets nobody change the disks or the power of a machine while it saves or restores it. */
export const beingCopied = 'The VM is being copied.'

/** The failure of a call, in our words. What is no refusal of the cluster stays what it is. */
export function asEngineError(error: unknown, doing: string): unknown {
  if (!(error instanceof KubeError)) return error
  const { code, retryable, why } = meaningOf(error)
  return new EngineError(code, `${doing} ${why}`, { retryable, cause: error })
}

/** Does it, and says in our words why it could not. `doing` begins the sentence, such as `The VM could not be started.` */
export async function inOurWords<T>(doing: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw asEngineError(error, doing)
  }
}

function meaningOf(error: KubeError): { code: EngineErrorCode; retryable: boolean; why: string } {
  switch (error.kind) {
    case 'away':
      return { code: 'away', retryable: true, why: 'The cluster does not answer.' }
    case 'too-many':
      return { code: 'internal', retryable: true, why: 'The cluster is busy.' }
    case 'broken':
      return { code: 'internal', retryable: true, why: 'The cluster reported an error.' }
    case 'conflict':
    case 'exists':
    case 'gone':
      return { code: 'internal', retryable: true, why: 'It was changed by somebody else at the same time.' }
    case 'copied':
      return { code: 'volume-busy', retryable: true, why: beingCopied }
    case 'quota':
      return { code: 'no-space', retryable: true, why: quotaUsedUp }
    case 'forbidden':
      return {
        code: 'internal',
        retryable: true,
        why: 'The cluster does not allow Slipway to do this. An operator can check the rights with npm run doctor.',
      }
    case 'not-found':
      return {
        code: 'internal',
        retryable: true,
        why: 'The cluster does not know it, or it has no KubeVirt.',
      }
    case 'refused':
    case 'invalid':
      return {
        code: 'launch-failed',
        retryable: false,
        why: `The cluster refused it: ${oneLine(error.message)}`,
      }
  }
}

/** What a webhook says may be long and have several lines; who reads it is a person. */
export const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}
