import type { Template } from '@slipway/contract'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { templateFacts } from './template-facts.ts'

/** The templates to choose from in a `Select`. */
export const templateOptions = (templates: readonly Template[]) =>
  templates.map((template) => ({
    value: template.id,
    label: template.name,
    description: templateFacts(template),
    icon: <TemplatePlate templateId={template.id} size={16} />,
  }))
