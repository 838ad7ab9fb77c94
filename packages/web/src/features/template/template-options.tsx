import { formatCpu, formatMemory, type Template } from '@slipway/contract'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'

/** The templates to choose from in a `Select`. */
export const templateOptions = (templates: readonly Template[]) =>
  templates.map(({ id, name, default_cpu, default_memory_mb }) => ({
    value: id,
    label: name,
    description: `${formatCpu(default_cpu)}, ${formatMemory(default_memory_mb)}`,
    icon: <TemplatePlate templateId={id} size={16} />,
  }))
