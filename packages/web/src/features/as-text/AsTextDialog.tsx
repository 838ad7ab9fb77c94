import { useState } from 'react'
import { stringify } from 'yaml'
import { apiBase } from '../../api/client.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { type Creation, commandOf, fileOf, isForPrograms, requestOf } from './creation.ts'

const forms = [
  { value: 'file', label: 'File' },
  { value: 'command', label: 'Command' },
  { value: 'request', label: 'Request' },
] as const
type Form = (typeof forms)[number]['value']

const hints: Record<Form, string> = {
  file: 'Save it as a file and run slipway apply with it. Applied twice, it creates nothing twice.',
  command: 'For the command line, signed in with slipway login.',
  request: 'For the API, with an API token in SLIPWAY_TOKEN.',
}

/** What a form is about to create, as texts to copy. */
export function AsTextDialog({ creation, onClose }: { creation: Creation | null; onClose: () => void }) {
  const [form, setForm] = useState<Form>('file')
  return (
    <Dialog
      open={creation !== null}
      onOpenChange={onClose}
      size="lg"
      title="Show as Text"
      description="What this form would create, for the command line and for programs."
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid justify-items-start gap-3">
        <Segments label="Form" value={form} onValueChange={setForm} options={forms} />
        {creation && <Shown creation={creation} form={form} />}
      </div>
    </Dialog>
  )
}

/** API tokens are refused where they would let somebody in for longer than they live. */
const forPersons = {
  command: 'The command line uses an API token, and the server takes none for this. Use the request.',
  request:
    'For a session, as the server takes no API token for this: cookies.txt is what curl -c has kept of a sign-in.',
}
const inPieces = 'A file is sent in pieces, each with a request of its own. Use the command.'

/** Why there is no such text; undefined where there is one. */
function whyNot(form: Form, creation: Creation): string | undefined {
  const file = fileOf(creation)
  const reasons = {
    file: typeof file === 'string' && file,
    command: !isForPrograms(creation.call) && forPersons.command,
    request: creation.call === 'upload.create' && inPieces,
  }
  return reasons[form] || undefined
}

function Shown({ creation, form }: { creation: Creation; form: Form }) {
  const reason = whyNot(form, creation)
  if (reason) return <p className="text-ink-2">{reason}</p>
  const code = {
    file: () => stringify(fileOf(creation), { lineWidth: 0 }),
    command: () => commandOf(creation),
    request: () => requestOf(creation, apiBase || window.location.origin),
  }[form]()
  return (
    <div className="grid w-full gap-2">
      <CodeLine
        code={code}
        copyLabel={`Copy the ${form}`}
        success="Copied to clipboard!"
        failure="Failed to copy to clipboard."
      />
      <p className="text-hint text-ink-3">
        {isForPrograms(creation.call) ? hints[form] : forPersons.request}
      </p>
    </div>
  )
}
