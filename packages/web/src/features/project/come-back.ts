/** Navigation state for the page of the first project: from there one comes back to the form that needs it. */
export const comeBack = { comeBack: true } as const

/** Whether a location has that state; whatever an earlier version may have left there counts for nothing. */
export const wantsBack = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'comeBack' in state && state.comeBack === true
