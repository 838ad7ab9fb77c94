/** How guests are connected. */
export interface GuestNetwork {
  /** The unprivileged user guests run as, or null to keep the server's own. */
  user: string | null
  /** Whether guests are cut off from everything but the forwarded port. */
  restrict: boolean
  /** What guests can reach and what is protected, in a sentence. */
  sentence: string
}

export async function openNetwork(): Promise<GuestNetwork> {
  return { user: null, restrict: true, sentence: 'Guests reach nothing.' }
}
