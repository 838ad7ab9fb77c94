/** `512 MB`, `1.0 GB`: GB with one decimal from 1024 MB on. */
export function formatMemory(megabytes: number): string {
  return megabytes >= 1024 ? `${(megabytes / 1024).toFixed(1)} GB` : `${megabytes} MB`
}

/** `1 core`, `2 cores`. */
export function formatCpu(cores: number): string {
  return cores === 1 ? '1 core' : `${cores} cores`
}

/** Bytes of a Gi. */
export const gibibyte = 1024 ** 3

/** A number of bytes in whole Gi: never less than there is. */
export const wholeGi = (bytes: number): number => Math.ceil(bytes / gibibyte)

/** Whole Gi, unless an operator allows more. */
export const diskSizeLimitGi = 1024

const gi: Record<string, (value: number) => number> = {
  '': Math.ceil,
  t: (value) => Math.ceil(value * 1024),
  g: Math.ceil,
  m: (value) => Math.round(value / 1024),
  k: (value) => Math.round(value / 1024 ** 2),
}

/**
 * A disk size as people type it, in whole Gi: `10GB`, `10 GiB` and `10` are 10, `512MB` is 1. Or the sentence that
 * says what is wrong with it. GB counts as Gi; Gi are rounded up, smaller units to the nearest, and nothing but zero
 * becomes zero (catalogue G-057).
 */
export function parseDiskSize(text: string, limitGi = diskSizeLimitGi): number | string {
  const [, digits, unit = ''] = text.trim().match(/^(\d+(?:\.\d*)?|\.\d+)\s*(?:([kmgt])i?b?)?$/i) ?? []
  const value = Number(digits)
  const inGi = gi[unit.toLowerCase()]
  if (!inGi || !(value > 0)) return 'Please enter a valid disk size'
  const size = Math.max(1, inGi(value))
  return size <= limitGi ? size : `Disk size cannot exceed ${limitGi}Gi`
}
