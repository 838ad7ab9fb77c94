/** A text as one word of a shell, whatever is in it. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

interface CurlParts {
  method: string
  url: string
  /** What a shell fills in for the token, such as `$SLIPWAY_TOKEN`; null where the call needs none. */
  token: string | null
  /** A file with the cookies of a session, for calls that take no token. */
  cookies?: string
  /** Whether the call takes an idempotency key. */
  isKeyed: boolean
  /** Sent as JSON; undefined for none. */
  json?: unknown
  /** Sent as an HTML form sends it. */
  form?: object | undefined
  /** Whether what comes is shown as it comes. */
  follows?: boolean
}

/** A call as a command of curl, a part on each line. */
export function curlText({
  method,
  url,
  token,
  cookies,
  isKeyed,
  json,
  form = {},
  follows = false,
}: CurlParts): string {
  const lines = [
    ['curl', follows && '-N', method !== 'GET' && `-X ${method}`].filter(Boolean).join(' '),
    token && `-H "Authorization: Bearer ${token}"`,
    cookies && `-b ${cookies}`,
    isKeyed && '-H "Idempotency-Key: $(uuidgen)"',
    ...Object.entries(form).map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`),
    ...(json === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(json))}`]),
    `"${url}"`,
  ]
  return lines.filter(Boolean).join(' \\\n  ')
}
