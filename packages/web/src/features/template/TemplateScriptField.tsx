import { brokenStartScript } from '@slipway/contract'
import { StartScriptField } from '../start-script/StartScriptField.tsx'

interface TemplateScriptFieldProps {
  /** Empty: none. */
  value: string
  onChange: (script: string) => void
  /** What the server has against it. */
  refusal?: string | undefined
}

/** The start script that a template gives to its VMs. */
export function TemplateScriptField({ value, onChange, refusal }: TemplateScriptFieldProps) {
  return (
    <StartScriptField
      value={value}
      onChange={onChange}
      error={(value === '' ? undefined : brokenStartScript(value)) ?? refusal}
      hint="Runs once as root at the first boot of each VM that has no start script of its own. Begin with #!/bin/sh, or with #cloud-config if the image has cloud-init. Every user of this installation can read it: do not put secrets in it."
    />
  )
}
