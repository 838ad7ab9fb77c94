import { useHost } from '../api/host.ts'
import { Banner } from '../ui/Banner.tsx'

/** Nobody shall take a simulation for the real thing. */
export function EngineBanner() {
  if (useHost()?.engine !== 'simulated') return null
  return (
    <Banner tone="warn" title="Simulated engine" className="mb-5">
      VMs go through every state, but no guest runs: nothing answers over SSH and nothing is stored.
    </Banner>
  )
}
