import type { Vm } from '@slipway/contract'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useLimits } from '../../api/host.ts'
import { useVmNetwork } from '../../api/networks.ts'
import { paths } from '../../paths.ts'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { Names } from './Names.tsx'

/** Address and names of a VM in the network of its project, on its page. */
export function VmNetwork({ vm, children }: { vm: Vm; children: ReactNode }) {
  const { network, error, retry } = useVmNetwork(vm)
  const { networks: limit } = useLimits()
  return (
    <section className="min-w-0" aria-labelledby="network">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 id="network" className="text-section">
          Network
        </h2>
        <Link to={paths.network(vm.project_id)} className="link text-hint">
          View network
        </Link>
      </div>
      {limit ? (
        <p className="text-ink-2">{limit}</p>
      ) : error ? (
        <p className="text-hint text-ink-3">
          The address could not be loaded.{' '}
          <button type="button" className="link" onClick={retry}>
            Try Again
          </button>
        </p>
      ) : (
        <dl className="sheet divide-y divide-line text-dense">
          <Fact label="Address">
            {network?.address ? (
              <CopyLine text={network.address} label="Copy address" />
            ) : (
              <span className="text-ink-3">{network ? 'Not known yet' : 'Loading...'}</span>
            )}
          </Fact>
          <Fact label="Names">
            <span className="min-w-0 wrap-anywhere">
              <Names names={network?.names ?? []} />
            </span>
          </Fact>
          {network && network.group_names.length > 0 && (
            <Fact label="With others">
              <span className="min-w-0 wrap-anywhere">
                <Names names={network.group_names} />
              </span>
            </Fact>
          )}
          <Fact label="Internet">{network ? (network.internet ? 'On' : 'Off') : ''}</Fact>
        </dl>
      )}
      {children}
    </section>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="flex items-baseline gap-3 px-3.5 py-2">
    <dt className="w-22 flex-none text-ink-3">{label}</dt>
    <dd className="flex min-w-0 flex-1 items-center gap-1.5">{children}</dd>
  </div>
)
