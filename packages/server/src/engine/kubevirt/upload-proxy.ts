/** The door through which CDI takes disks: where it is, and one file sent through it. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { request } from 'node:https'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { checkServerIdentity, rootCertificates } from 'node:tls'
import { EngineError } from '../engine.ts'
import { oneLine } from './failure.ts'
import { uploadKinds } from './kinds.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { isKube } from './kube/kube-error.ts'

export interface UploadProxy {
  url: URL
  /** Who may vouch for it, beside the authorities that everybody trusts. */
  ca: string[]
}

/** What CDI's own certificate is for, also where it is reached through a forwarded port. */
const ownName = 'cdi-uploadproxy'
const path = '/v1beta1/upload-async'
/** How long nothing may move, and how long the answer may take after the last byte: small files are converted meanwhile. */
const silentMs = 60_000
const answerMs = 10 * 60_000

/**
 * Where uploads go: as the settings say, else as CDI says, else to the service of CDI, which only pods reach.
 * Throws an error that says what to set.
 */
export async function findUploadProxy(
  client: Pick<KubeClient, 'get' | 'cluster'>,
  setting: string | null,
  isInside: boolean,
): Promise<UploadProxy> {
  const config = await client.get(uploadKinds.cdiConfigs, { name: 'config' }).catch((error: unknown) => {
    if (isKube(error, 'not-found') || isKube(error, 'forbidden')) return null
    throw error
  })
  const told = setting ?? config?.status?.uploadProxyURL ?? (isInside ? `${ownName}.cdi.svc` : null)
  if (told === null || told === '')
    throw new EngineError(
      'internal',
      'The upload proxy of CDI is not reachable from outside of this cluster. Forward a port to it (kubectl -n cdi port-forward service/cdi-uploadproxy 8443:443) and set SLIPWAY_KUBE_UPLOAD_URL=https://127.0.0.1:8443.',
    )
  const text = /^\w+:\/\//.test(told) ? told : `https://${told}`
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:')
    throw new EngineError('internal', 'SLIPWAY_KUBE_UPLOAD_URL is not an https URL.')
  const { uploadProxyCA } = config?.status ?? {}
  const { ca } = client.cluster.tls
  return { url: new URL(path, text), ca: [uploadProxyCA, ca].filter((one) => one !== undefined) }
}

/** Sends a whole file, or throws: then nobody knows what of it is there. */
export async function sendFile(
  { url, ca }: UploadProxy,
  { file, token }: { file: string; token: string },
  { signal, onProgress }: { signal: AbortSignal; onProgress: (fraction: number) => void },
): Promise<void> {
  const { size } = await stat(file)
  const over = new AbortController()
  const post = request(url, {
    method: 'POST',
    ca: [...rootCertificates, ...ca],
    checkServerIdentity: (host, certificate) =>
      checkServerIdentity(host, certificate) && checkServerIdentity(ownName, certificate),
    signal: AbortSignal.any([signal, over.signal]),
    timeout: silentMs,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/octet-stream',
      'content-length': size,
    },
  })
  post.on('timeout', () => post.destroy(new Error('it fell silent')))
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    post.on('error', reject)
    post.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        if (text.length < 4096) text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      answer.on('error', reject)
    })
  })
  let sent = 0
  const count = new Transform({
    transform(part: Buffer, _, next) {
      sent += part.length
      onProgress(size === 0 ? 1 : sent / size)
      next(null, part)
    },
  })
  const sending = pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), count, post)
  sending.then(
    () => post.setTimeout(answerMs),
    () => {},
  )
  try {
    // A refusal may come before all is sent, and tells more than the connection that ends with it.
    const { status, text } = await Promise.race([answered, sending.then(() => answered)])
    if (status < 200 || status >= 300) throw new Error(oneLine(`HTTP ${status} ${text}`))
    await sending
  } catch (error) {
    signal.throwIfAborted()
    const refusal = await soon(answered)
    const why =
      refusal && refusal.status >= 300 ? oneLine(`HTTP ${refusal.status} ${refusal.text}`) : String(error)
    throw new EngineError('internal', `The upload proxy of the cluster did not take the image: ${why}`, {
      retryable: true,
      cause: error,
    })
  } finally {
    over.abort()
    post.destroy()
    sending.catch(() => {})
    answered.catch(() => {})
  }
}

/** What is there already, or a moment later; null otherwise. */
async function soon<T>(promise: Promise<T>): Promise<T | null> {
  const moment = new Promise<null>((resolve) => setTimeout(() => resolve(null), 100))
  return Promise.race([promise.catch(() => null), moment])
}
