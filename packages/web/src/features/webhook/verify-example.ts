/** How a receiver checks a signature. `docs/webhooks.md` has the same; a test of the console runs it. */
export const verifyExample = `import { createHmac, timingSafeEqual } from 'node:crypto'

// headers: of the request. body: its text, before it is parsed.
export function isFromSlipway(headers, body, secret) {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  if (Math.abs(Date.now() / 1000 - timestamp) > 300) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const right = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest()
  return headers['webhook-signature'].split(' ').some((one) => {
    const given = Buffer.from(one.slice('v1,'.length), 'base64')
    return given.length === right.length && timingSafeEqual(given, right)
  })
}`
