import { formatCpu, formatMemory, type Template } from '@slipway/contract'

type Facts = Pick<Template, 'default_cpu' | 'default_memory_mb' | 'has_start_script'>

/** What a VM of a template gets unless its form says otherwise, in a line: `2 cores, 4.0 GB, start script`. */
export const templateFacts = ({ default_cpu, default_memory_mb, has_start_script }: Facts): string =>
  [
    formatCpu(default_cpu),
    formatMemory(default_memory_mb),
    ...(has_start_script ? ['start script'] : []),
  ].join(', ')
