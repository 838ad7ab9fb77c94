import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Checkbox.tsx'
import { Field, PasswordInput, TextArea, TextInput } from '../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../ui/FormSheet.tsx'
import { Select } from '../ui/Select.tsx'
import { longName } from './long-name.ts'
import { Part } from './Part.tsx'

export function Fields() {
  const [choice, setChoice] = useState<string | null>(null)
  return (
    <Part title="Fields">
      <div className="sheet space-y-4 p-5">
        <Field label="Name" hint="Letters, digits and hyphens.">
          <TextInput defaultValue={longName} />
        </Field>
        <Field label="Description" optional>
          <TextArea placeholder="What it is for" />
        </Field>
        <Field label="Desired size" error="Desired size must be between minimum and maximum size.">
          <TextInput defaultValue="8" inputMode="numeric" />
        </Field>
        <Field label="Password">
          <PasswordInput defaultValue="Harbour-2026" />
        </Field>
        <Field label="Template" aside={<span className="text-label text-ink-3">3 templates</span>}>
          <Select
            value={choice}
            onValueChange={setChoice}
            placeholder="Choose a template"
            options={[
              { value: 'rust', label: 'Rust', description: '4 cores, 8.0 GB' },
              { value: 'go', label: longName, description: '1 core, 1.0 GB' },
              { value: 'php', label: 'Laravel with PHP', description: 'No image', disabled: true },
            ]}
          />
        </Field>
        <Field label="Existing disk" error="Please select an existing disk.">
          <Select value={null} onValueChange={() => {}} placeholder="Choose an available disk" options={[]} />
        </Field>
        <Field label="Disabled">
          <TextInput disabled defaultValue="web-1" />
        </Field>
        <Checkbox
          label="Persistent storage"
          description="The root disk keeps its data when the VM stops or restarts."
          defaultChecked
        />
        <Checkbox label="Remember me" />
        <Checkbox label="Not now" disabled />
      </div>
    </Part>
  )
}

export function FormPage() {
  return (
    <Part title="Form page">
      <FormSheet label="Create Template" onSubmit={(event) => event.preventDefault()}>
        <FormSection title="Template">
          <Field label="Name">
            <TextInput defaultValue="Rust" />
          </Field>
        </FormSection>
        <FormFoot note="Please enter a template description" error="Admin access required">
          <Button>Cancel</Button>
          <Button type="submit" variant="primary">
            Create Template
          </Button>
        </FormFoot>
      </FormSheet>
    </Part>
  )
}
