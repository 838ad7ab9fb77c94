import { startScriptBytes, startScriptTexts } from '@slipway/contract'
import { FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.tsx'
import { sizeOf } from './start-script-words.ts'

interface StartScriptProps {
  value: string
  onChange: (script: string) => void
  /** What is wrong with it; undefined when it can be sent. */
  error: string | undefined
  /** How it is run, and who can read it. */
  hint?: string
}

const hintOfVm =
  'Runs once as root at the first boot. Begin with #!/bin/sh, or with #cloud-config in templates that have cloud-init. Operators of the project and the guest itself can read it: use no secrets that they must not know.'

/** A script for the first boot. It is folded away, because most VMs have none. */
export function StartScriptField(props: StartScriptProps) {
  const [isOpen, setOpen] = useState(props.value !== '')
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-dense font-medium text-ink-2 hover:text-ink">
        Start script <span className="font-normal text-ink-3">(optional)</span>
      </summary>
      <div className="mt-3">
        <StartScriptInput {...props} />
      </div>
    </details>
  )
}

/** A script that is typed, pasted or taken from a file. */
export function StartScriptInput({ value, onChange, error, hint = hintOfVm }: StartScriptProps) {
  const picker = useRef<HTMLInputElement>(null)

  async function take(file: File | undefined): Promise<void> {
    if (!file) return
    // Not read: it may be a whole disk.
    if (file.size > startScriptBytes) return void toast.error(startScriptTexts.tooLarge)
    try {
      onChange(await file.text())
    } catch {
      toast.error('The file could not be read. Choose it again.')
    }
  }

  return (
    <div className="grid min-w-0 gap-2">
      <Field
        label="Script"
        aside={<span className="text-label text-ink-3">{sizeOf(value)}</span>}
        error={error}
        hint={hint}
      >
        <TextArea
          value={value}
          onChange={(event) => onChange(event.target.value)}
          rows={8}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          placeholder={'#!/bin/sh\n'}
          className="font-mono text-hint"
        />
      </Field>
      <div>
        <input
          ref={picker}
          type="file"
          hidden
          aria-label="Start script file"
          onChange={(event) => {
            void take(event.target.files?.[0])
            // The same file may be chosen again once it was changed.
            event.target.value = ''
          }}
        />
        <Button
          size="sm"
          icon={<FileUp size={14} strokeWidth={1.6} aria-hidden />}
          onClick={() => picker.current?.click()}
          className="phone:h-10"
        >
          Choose a file
        </Button>
      </div>
    </div>
  )
}
