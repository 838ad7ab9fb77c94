/** `512 MB`, `1.0 GB`: GB with one decimal from 1024 MB on. */
export function formatMemory(megabytes: number): string {
  return megabytes >= 1024 ? `${(megabytes / 1024).toFixed(1)} GB` : `${megabytes} MB`
}

/** `1 core`, `2 cores`. */
export function formatCpu(cores: number): string {
  return cores === 1 ? '1 core' : `${cores} cores`
}
