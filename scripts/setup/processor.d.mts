/** For programs in TypeScript; `processor.mjs` describes it. */
export function secondsOfTree(): number
