/** Domains right below which anybody registers names, as far as they have two labels and are usual. */
const isRegistry = (domain: string) => /^(ac|co|com|edu|gov|net|org)\.[a-z]{2}$/.test(domain)

/** What two host names have in common at their end, such as `example.com`. */
function commonEnd(one: string, other: string): string {
  const labels = one.split('.')
  const ends = labels.map((_, at) => labels.slice(at).join('.'))
  return ends.find((end) => `.${other}`.endsWith(`.${end}`)) ?? ''
}

/**
 * What is risky about a domain for shared ports beside the host of the console, as a sentence; null for nothing. Pages below
 * a common domain store cookies for each other, and browsers count them as one site.
 */
export function riskOfShareDomain(publicUrl: URL | null, domain: string | undefined): string | null {
  if (publicUrl === null || domain === undefined) return null
  const common = commonEnd(publicUrl.hostname, domain)
  if (!common.includes('.') || isRegistry(common)) return null
  const risk =
    publicUrl.protocol === 'https:'
      ? 'Pages of VMs can store cookies for the console, though none that stands for a session'
      : 'Over plain http, pages of VMs can sign people in to another account of the console'
  return `SLIPWAY_SHARE_DOMAIN (${domain}) and the host of SLIPWAY_PUBLIC_URL are both below ${common}. ${risk}. Use a domain of its own for shared ports when you do not trust those who share.`
}
