/** Puts a table of nftables in force, and sees whether it still is: other programs may remove or change it at any time. */

/** A table with these lines, as nft reads it, in place of the one that may be there: in one step. */
export const replaced = (address: string, lines: readonly string[]): string =>
  [
    // Made first, so that there is always one to delete.
    `table ${address} {}`,
    `delete table ${address}`,
    `table ${address} {`,
    ...lines.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n')

/** Runs nft with a text for its standard input; resolves with what it printed. */
export type Nft = (args: readonly string[], input?: string) => Promise<string>

/** A table as nft lists it, without what its counters and dynamic sets have counted; fails when there is none. */
export async function listingOf(nft: Nft, address: string): Promise<string> {
  const text = await nft(['-n', 'list', 'table', ...address.split(' ')])
  return text
    .replace(/\s+packets \d+ bytes \d+/g, '')
    .replace(/(set \S+ \{[^}]*?flags dynamic[^}]*?)\s*elements = \{[^}]*\}/g, '$1')
}

/** What became of rules: `changed` are others than the last time, and the same as then either stood or were put back. */
export type Ensured = 'stood' | 'changed' | 'put back'

/**
 * @param address family and name, such as `inet slipway`
 * @param isTaken whether a listing shows that nft took the rules for what they are
 */
export function makeTable(nft: Nft, address: string, isTaken: (listing: string) => boolean = () => true) {
  /** The rules that were put in force last, and how nft lists them. */
  let inForce: { rules: string; listing: string } | null = null

  const listing = () => listingOf(nft, address)

  return {
    /** Sees to it that exactly these rules hold. */
    async ensure(rules: string): Promise<Ensured> {
      const same = inForce?.rules === rules
      if (same && (await listing().catch(() => '')) === inForce?.listing) return 'stood'
      await nft(['-f', '-'], rules)
      const listed = await listing()
      if (!isTaken(listed)) throw new Error('nft took the rules but does not list them')
      inForce = { rules, listing: listed }
      return same ? 'put back' : 'changed'
    },
    /** Whether rules were put in force, as far as this process knows. */
    isInForce: (): boolean => inForce !== null,
    /** Removes it, there or not. */
    async remove(): Promise<void> {
      inForce = null
      await nft(['-f', '-'], `table ${address} {}\ndelete table ${address}\n`)
    },
  }
}
