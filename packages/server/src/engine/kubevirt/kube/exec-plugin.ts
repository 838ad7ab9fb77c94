/** Programs that log in for us, as managed clusters have them: client.authentication.k8s.io of Kubernetes. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { run } from '../../../lib/command.ts'
import type { Login } from './cluster.ts'
import { KubeError } from './kube-error.ts'

/** How a kubeconfig names such a program. */
export const plugin = z.object({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
})

const credential = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.iso.datetime({ offset: true }).optional(),
  }),
})

const patienceMs = 30_000
/** It is asked anew before what it gave expires. */
const earlyMs = 30_000
/** What does not expire is good until it is refused. */
const forever = Number.MAX_SAFE_INTEGER

/** Asks such a program who we are. A command with a slash is one beside the kubeconfig. */
export async function askPlugin(
  { apiVersion, command, args, env }: z.infer<typeof plugin>,
  directory: string,
): Promise<Login & { until: number }> {
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } }
  try {
    const printed = await run(command.includes('/') ? resolve(directory, command) : command, args ?? [], {
      env: {
        ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: JSON.stringify(info),
      },
      timeoutMs: patienceMs,
      maxOutputBytes: 1024 * 1024,
    })
    const { status } = credential.parse(JSON.parse(printed))
    const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status
    return {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(cert && key ? { cert, key } : {}),
      until: expirationTimestamp ? Date.parse(expirationTimestamp) - earlyMs : forever,
    }
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new KubeError('forbidden', `${command} did not log us in: ${said}`, { cause })
  }
}
