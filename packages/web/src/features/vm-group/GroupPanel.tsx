import { formatCpu, formatMemory, type SshKey, type Template } from '@slipway/contract'
import { TemplatePanel } from '../template/TemplatePanel.tsx'
import type { VmSize } from '../vm/vm-size.ts'
import { together } from './group-form.ts'

interface GroupPanelProps {
  template: Template | undefined
  /** Of each VM. */
  size: VmSize | undefined
  sshKey: SshKey | undefined
  disks: readonly { size: string }[]
  /** The sizes to add up for, such as desired and maximum; none while they do not fit. */
  sizes: readonly { label: string; count: number }[]
  /** How many VMs there will be and who changes that, in a sentence. */
  scaling: string
}

/** Beside the form: the template, what all VMs take together, and what will happen. */
export function GroupPanel({ template, size, sshKey, disks, sizes, scaling }: GroupPanelProps) {
  return (
    <TemplatePanel
      title="Template details"
      template={template}
      facts={[
        { label: 'CPU per VM', value: size && formatCpu(size.cpu) },
        { label: 'RAM per VM', value: size && formatMemory(size.memory_mb) },
      ]}
      foot={
        <>
          {size && sizes.length > 0 && <Totals size={size} disks={disks} sizes={sizes} />}
          <div className="grid gap-2 border-t border-line px-4 py-3 text-hint/5 wrap-anywhere text-ink-2">
            <p>{scaling}</p>
            <p>
              {sshKey ? (
                <>
                  Each answers SSH with the key "<bdi>{sshKey.name}</bdi>".
                </>
              ) : (
                'Choose an SSH key: nobody can sign in without one.'
              )}
            </p>
          </div>
        </>
      }
    >
      Select a template to see what the VMs will contain.
    </TemplatePanel>
  )
}

type TotalsProps = Pick<GroupPanelProps, 'disks' | 'sizes'> & { size: VmSize }

function Totals({ size, disks, sizes }: TotalsProps) {
  const columns = sizes.map(({ label, count }) => ({ label, count, ...together(count, size, disks) }))
  const rows = [
    { label: 'VMs', values: columns.map(({ count }) => count) },
    { label: 'CPU', values: columns.map(({ cpu }) => cpu) },
    { label: 'RAM', values: columns.map(({ memory }) => memory) },
    { label: 'Data disks', values: columns.map(({ disks }) => disks) },
  ]
  return (
    <table className="w-full border-t border-line text-dense">
      <caption className="sr-only">All VMs together</caption>
      <thead>
        <tr>
          <td className="pt-2.5 pl-4" />
          {columns.map(({ label }) => (
            <th key={label} scope="col" className="pt-2.5 pr-4 text-right text-label font-normal text-ink-3">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>*]:pb-2.5">
        {rows.map(({ label, values }) => (
          <tr key={label}>
            <th scope="row" className="py-1 pl-4 text-left text-label font-normal text-ink-3">
              {label}
            </th>
            {values.map((value, column) => (
              <td key={columns[column]?.label} className="py-1 pr-4 text-right whitespace-nowrap">
                {value}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
