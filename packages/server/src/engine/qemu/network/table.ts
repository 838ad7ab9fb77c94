/** Puts a table of nftables in force, and sees whether it still is: other programs may remove or change it at any time. */
type Nft = (args: readonly string[], input?: string) => Promise<string>

/** @param address family and name, such as `inet slipway` */
export function makeTable(nft: Nft, address: string) {
  /** The rules that were put in force last, and how nft lists them. */
  let inForce: { rules: string; listing: string } | null = null

  /** As nft lists it, without what counters have counted and who floods at the moment; fails when there is none. */
  async function listing(): Promise<string> {
    const text = await nft(['-n', 'list', 'table', ...address.split(' ')])
    return text
      .replace(/ packets \d+ bytes \d+/g, '')
      .replace(/(set floods \{[^}]*?)\s*elements = \{[^}]*\}/, '$1')
  }

  return {
    /** Sees to it that exactly these rules hold; tells whether they did, when they are the same as last time. */
    async ensure(rules: string): Promise<'stood' | 'changed' | 'put back'> {
      const same = inForce?.rules === rules
      if (same && (await listing().catch(() => '')) === inForce?.listing) return 'stood'
      await nft(['-f', '-'], rules)
      inForce = { rules, listing: await listing() }
      return same ? 'put back' : 'changed'
    },
    /** Removes it, there or not. */
    async remove(): Promise<void> {
      inForce = null
      await nft(['-f', '-'], `table ${address} {}\ndelete table ${address}\n`)
    },
  }
}
