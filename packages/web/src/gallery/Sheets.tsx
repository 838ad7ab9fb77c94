import { Button } from '../ui/Button.tsx'
import { CodeLine } from '../ui/CodeLine.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Mark } from '../ui/Mark.tsx'
import { WorkTrack } from '../ui/Progress.tsx'
import { Cells, Rows, Sheet, StatStrip } from '../ui/Sheet.tsx'
import { StatusGlyph } from '../ui/Status.tsx'
import { TemplatePlate } from '../ui/TemplatePlate.tsx'
import { longName } from './long-name.ts'
import { Part } from './Part.tsx'

const plates =
  'starter base node-react python-django rust go nextjs laravel docker-kubernetes ubuntu-lts something-else'

export function Sheets() {
  return (
    <Part title="Sheets">
      <div className="space-y-4">
        <StatStrip
          items={[
            { label: 'Total', value: 9 },
            { label: 'Running', value: 3, glyph: <StatusGlyph word="running" />, note: 'of 9' },
            { label: 'Stopped', value: 1, glyph: <StatusGlyph word="stopped" /> },
            { label: 'Provisioning', value: 2, glyph: <StatusGlyph word="provisioning" /> },
            { label: 'Failed', value: 1, glyph: <StatusGlyph word="failed" /> },
          ]}
        />
        <Sheet title="Template details" actions={<Button size="sm">Change</Button>}>
          <div className="border-b border-line">
            <Cells
              columns={3}
              items={[
                { label: 'CPU', value: '4 cores' },
                { label: 'RAM', value: '8.0 GB' },
                { label: 'Network', value: 'Active' },
              ]}
            />
          </div>
          <WorkTrack label="Cloning the root disk" value={0.38} />
          <Rows
            items={[
              {
                label: 'IP Address',
                value: (
                  <>
                    <span className="mono flex-1">10.77.4.21</span>
                    <CopyButton
                      text="10.77.4.21"
                      label="Copy IP address"
                      success="IP address copied to clipboard!"
                      failure="Failed to copy IP address"
                    />
                  </>
                ),
              },
              { label: 'SSH Key', value: <span className="mono">ines-thinkpad</span> },
              {
                label: 'Why',
                value: 'Needs 2.0 GB of memory, the host has 1.2 GB. Free some and create it again.',
                tone: 'bad',
              },
            ]}
          />
        </Sheet>
        <Sheet>
          <Cells
            items={[
              { label: 'Project', value: longName },
              { label: 'Data disks', value: '10Gi' },
              { label: 'Created', value: 'Nov 20, 2026' },
              { label: 'Template', value: 'Rust' },
              { label: 'Persistent', value: 'Yes' },
            ]}
          />
          <WorkTrack label="Starting" />
        </Sheet>
      </div>
    </Part>
  )
}

export function Lines() {
  return (
    <Part title="Marks, plates, commands">
      <div className="space-y-4">
        <div className="flex flex-wrap items-center gap-4">
          <Mark size={32} />
          {plates.split(' ').map((id) => (
            <TemplatePlate key={id} templateId={id} />
          ))}
          <TemplatePlate templateId="rust" imageUrl="/no-such-picture.png" />
          <TemplatePlate templateId="rust" size={16} />
        </div>
        <CodeLine
          code="ssh-keygen -t rsa -b 4096"
          copyLabel="Copy command"
          success="Command copied to clipboard!"
          failure="Failed to copy command"
        />
      </div>
    </Part>
  )
}
