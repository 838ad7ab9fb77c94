import { formatCpu, formatMemory } from '@slipway/contract'
import { Link } from 'react-router'
import { useHost, useIsSignUpOffered } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import { LaunchDrawing } from './LaunchDrawing.tsx'

const bootClaim = '10 s'

const claims = [
  { value: bootClaim, label: 'Typical boot' },
  { value: '99.9%', label: 'Uptime' },
  { value: '50+', label: 'Templates' },
  { value: '24/7', label: 'Support' },
]

const samples = [
  { id: 'nodejs-react', name: 'Node.js with React' },
  { id: 'python-django', name: 'Python with Django' },
  { id: 'rust', name: 'Rust' },
  { id: 'go', name: 'Go' },
  { id: 'nextjs', name: 'Next.js' },
  { id: 'laravel-php', name: 'Laravel with PHP' },
  { id: 'docker-kubernetes', name: 'Docker with Kubernetes tools' },
  { id: 'ubuntu-lts', name: 'Ubuntu LTS' },
]

export function Component() {
  const isSignUpOffered = useIsSignUpOffered()
  const host = useHost()
  const sizes = host?.built_in_templates
  const measured = host?.start_time
  const sizeOf = (name: string) => {
    const template = sizes?.find((one) => one.name === name)
    return template && `${formatCpu(template.cpu)}, ${formatMemory(template.memory_mb)}`
  }
  return (
    <div className="mx-auto max-w-310 px-4 md:px-8">
      <title>Instant dev environments</title>
      <section className="grid items-center gap-x-10 gap-y-7 pt-6 pb-8 md:pt-8 md:pb-12 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)] lg:pt-13">
        <div>
          <h1 className="text-hero-phone text-balance md:text-hero">
            Instant dev environments on a custom hypervisor
          </h1>
          <p className="mt-3.5 mb-5.5 max-w-[46ch] text-[1rem]/[1.5625rem] text-ink-2 md:mt-5 md:mb-7 md:text-lead">
            Pick a template, add your SSH key, and a full virtual machine is ready before you have switched
            windows. Group machines in projects, scale them in pools, keep their disks.
          </p>
          <div className="flex gap-2.5 phone:[&>*]:flex-1">
            <Button
              variant="primary"
              size="lg"
              render={<Link to={isSignUpOffered ? paths.signUp : paths.signIn} />}
            >
              {isSignUpOffered ? 'Sign Up' : 'Sign In'}
            </Button>
            <Button size="lg" render={<Link to={paths.templates} />}>
              View Templates
            </Button>
          </div>
        </div>
        <LaunchDrawing />
      </section>

      <dl className="sheet grid grid-cols-2 overflow-hidden md:grid-cols-4">
        {claims.map(({ value, label }) => (
          <div
            key={label}
            className="-mt-px -ml-px flex flex-col-reverse justify-end border-t border-l border-line px-4 py-3.5 md:px-6 md:pt-4.5 md:pb-5"
          >
            <dt className="text-ink-2">{label}</dt>
            <dd className="text-[1.75rem]/[2.125rem] font-[450] tracking-[-.025em] md:text-claim">{value}</dd>
            {value === bootClaim && measured && (
              <dd className="-order-1 text-label text-ink-3">
                Here: {measured.median_seconds} s (median of the last {measured.starts} starts)
              </dd>
            )}
          </div>
        ))}
      </dl>

      <section className="mt-10 md:mt-14">
        <div className="mb-4 flex items-center justify-between gap-3">
          <h2 className="text-[1.25rem]/[1.625rem] font-semibold tracking-[-.014em] text-balance md:text-h1">
            Start from a working machine
          </h2>
          <Button render={<Link to={paths.templates} />}>Browse Templates</Button>
        </div>
        <ul className="grid border-t border-line sm:grid-cols-2 lg:grid-cols-4">
          {samples.map(({ id, name }) => (
            <li
              key={id}
              className="flex min-w-0 items-center gap-3.5 border-b border-line py-3.5 pr-3 md:py-4.5"
            >
              <TemplatePlate templateId={id} />
              <div className="min-w-0">
                <h3 className="font-[550] wrap-anywhere">{name}</h3>
                <p className="min-h-5 font-mono text-label/5 text-ink-3">{sizeOf(name)}</p>
              </div>
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}
