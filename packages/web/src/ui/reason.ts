/** The result of a rule as the `disabledReason` of a button: undefined when the rule allows the action. */
export const reasonOf = (allowed: true | string): string | undefined =>
  allowed === true ? undefined : allowed
