const answerWithinMs = 5_000

/**
 * What each sign-in provider of the settings says to the server's first question: null when it is as the settings have it, else
 * what is wrong, for a person. Providers whose settings are incomplete are left to the server's own reader.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<{ name: string, issuer: string, problem: string | null }[]>}
 */
export async function askProviders(environment) {
  const names = (environment.SLIPWAY_OIDC ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  const known = names.flatMap((name) => {
    const issuer = environment[`SLIPWAY_OIDC_${name.toUpperCase()}_ISSUER`]?.trim()
    return issuer && URL.canParse(issuer) ? [{ name, issuer }] : []
  })
  return Promise.all(known.map(async (one) => ({ ...one, problem: await problemOf(one.issuer) })))
}

/** @param {string} issuer */
async function problemOf(issuer) {
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(answerWithinMs) })
    if (response.status !== 200) return `${url} responds with status ${response.status}`
    const said = (await response.json()).issuer
    return said === issuer ? null : `it calls its issuer ${said}: write it in the settings exactly so`
  } catch (error) {
    const reason = error instanceof Error ? (error.cause?.message ?? error.message) : String(error)
    return `${url} cannot be read: ${reason}`
  }
}
