/** A name that does not fit: wraps, truncates or overflows, wherever it stands. */
export const longName =
  'payments-ledger-reconciliation-worker-eu-north-canary-0123456789-abcdefghijklmnopqrstuvwxyz'
