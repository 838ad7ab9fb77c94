/** Sizes and shares as Kubernetes writes them. */

const factors: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** A quantity such as `250m`, `1e9` or `10Gi` as a number; null for what is none. */
export function numberOf(quantity: string | undefined): number | null {
  const [, digits, unit = ''] =
    quantity?.match(/^\+?(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)([a-zA-Z]*)$/) ?? []
  const factor = factors[unit]
  return digits === undefined || factor === undefined ? null : Number(digits) * factor
}

/** The whole bytes of a quantity such as `10Gi`, `1e9` or `1500m`, rounded up; null for what is none. */
export function bytesOf(quantity: string | undefined): number | null {
  const number = numberOf(quantity)
  return number === null ? null : Math.ceil(number)
}

/** In the largest unit that says it exactly, so that people who look into the cluster can read it. */
export function quantityOf(bytes: number): string {
  const unit = ['Ti', 'Gi', 'Mi', 'Ki'].find(
    (name) => bytes >= (factors[name] ?? 1) && bytes % (factors[name] ?? 1) === 0,
  )
  return unit === undefined ? String(bytes) : `${bytes / (factors[unit] ?? 1)}${unit}`
}
