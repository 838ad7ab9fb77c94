/** What a rule answers as the reason of a button: nothing where the rule allows it. */
export const reasonOf = (allowed: true | string): string | undefined =>
  allowed === true ? undefined : allowed
