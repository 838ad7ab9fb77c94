/** The process that a server's name for people speaks of, as the lease has it: `host, process 123 (ab12)`. */
export const processOf = (holder: string): number => Number(/, process (\d+) \(/.exec(holder)?.[1] ?? 0)
