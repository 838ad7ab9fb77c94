import { PageHeader } from '../ui/PageHeader.tsx'
import { Select } from '../ui/Select.tsx'
import { setTheme, type Theme, useTheme } from '../ui/theme.ts'
import { Charts } from './Charts.tsx'
import { Banners, Buttons, Messages } from './Controls.tsx'
import { Fields, FormPage } from './Forms.tsx'
import { Lines, Sheets } from './Sheets.tsx'
import { Statuses, Steps } from './Signs.tsx'
import { States } from './States.tsx'

/** Every piece of `ui/` in every state. Only in the development server. */
export function Component() {
  const theme = useTheme()
  return (
    <main className="mx-auto max-w-350 space-y-10 px-4 py-6 md:px-9">
      <PageHeader
        title="Gallery"
        description="Every piece of the kit in every state, drawn once."
        breadcrumb={[{ label: 'Development' }, { label: 'Gallery' }]}
        meta={<span>Only in the development server</span>}
        actions={
          <Select
            label="Appearance"
            size="sm"
            className="w-36!"
            value={theme}
            onValueChange={(value) => setTheme(value as Theme)}
            options={[
              { value: 'system', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
        }
      />
      <div className="grid gap-8 lg:grid-cols-2 [&>*]:min-w-0">
        <div className="space-y-8">
          <Statuses />
          <Buttons />
          <Banners />
          <Messages />
          <Steps />
        </div>
        <div className="space-y-8">
          <Fields />
          <FormPage />
          <Sheets />
          <Lines />
        </div>
      </div>
      <Charts />
      <States />
    </main>
  )
}
